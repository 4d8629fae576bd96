//! The longest of the words on the command line.

fn longest(words: &[String]) -> Option<&String> {
    if words.len() == 0 {
        return None;
    }
    return words.iter().max_by_key(|word| word.len());
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match longest(&words) {
        Some(word) => println!("{}", word.to_string()),
        None => println!("no words"),
    }
}
