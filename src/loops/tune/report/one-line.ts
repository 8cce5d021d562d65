/** Text of cases, judges, files and people on one line: it cannot start a heading, a list or a block. */

const charsMax = 2000

export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\u0085\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, charsMax)
