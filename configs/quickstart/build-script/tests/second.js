// Other thing 2.0.0-rc.1
// file: -dash.js
dash("\n");
// file:   two  spaces .js
// file: a\b.js
x

