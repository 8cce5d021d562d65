/** Appends a text to the last message of a program, within a limit. */

const charsMax = 20_000

export const appendText = (said: string, text: string, between: string): string =>
  (said === '' ? text : `${said}${between}${text}`).slice(-charsMax)
