// A stack of words, and what is on top of it.
var words = [];

export function push(word) {
    var size = words.push(word);
    return size;
}

export function top() {
    if (!!words.length) {
        return words[words.length - 1];
    }
    return "";
}
