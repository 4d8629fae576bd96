// A greeting for each name.
interface Person {
    name: string;
    age?: number;
}

export function greet(people: Person[]): string[] {
    return people.map((person) => "hello, " + person.nmae);
}

export function oldest(people: Person[]): number {
    return people.reduce((most, person) => (person.age > most ? person.age : most), 0);
}
