// Attributes from outside must never reach a prototype (security S9): closed, such an addition throws in every test.
// Not frozen, because then an ordinary object could not be given a `toString` or `valueOf` of its own either.
Object.preventExtensions(Object.prototype);
