/** What a program said last: longer by a text, and never too long. */

const charsMax = 20_000

export const lastWords = (said: string, text: string, between: string): string =>
  (said === '' ? text : `${said}${between}${text}`).slice(-charsMax)
