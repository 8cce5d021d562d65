/** Splits output into lines without color codes; keeps the end of long output, and blanks long lines. */

const charsMax = 1_000_000
const lineCharsMax = 500

const colorCodes =
  // oxlint-disable-next-line no-control-regex -- color codes begin with a control character
  /\u001b\[[0-9;:?]{0,40}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]{0,300}(?:\u0007|\u001b\\)/g

export const plainLines = (output: string): readonly string[] =>
  output
    .slice(-charsMax)
    .replaceAll(colorCodes, '')
    .split(/\r?\n|\r/)
    .map((line) => (line.length > lineCharsMax ? '' : line.trimEnd()))
