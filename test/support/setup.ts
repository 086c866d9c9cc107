// Attributes from outside must never reach a prototype (design, S9): frozen, such a write throws in every test.
Object.freeze(Object.prototype);
