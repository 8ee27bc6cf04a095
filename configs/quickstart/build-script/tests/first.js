// demo 1.4.0
// file: lib/util.js
export const double = (x) => x * 2;
// file: main part.js
console.log(double(21));
