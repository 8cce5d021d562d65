/** What a program printed, as lines without colours; of long output the end, of long lines nothing. */

const charsMax = 1_000_000
const lineCharsMax = 500

const colours =
  // oxlint-disable-next-line no-control-regex -- colours begin with one
  /\u001b\[[0-9;:?]{0,40}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]{0,300}(?:\u0007|\u001b\\)/g

export const plainLines = (output: string): readonly string[] =>
  output
    .slice(-charsMax)
    .replaceAll(colours, '')
    .split(/\r?\n|\r/)
    .map((line) => (line.length > lineCharsMax ? '' : line.trimEnd()))
