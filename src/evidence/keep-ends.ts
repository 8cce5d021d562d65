/** The beginning and the end of what a check printed: what it set out to do, and how it ended. */

const mark = (left: number): string => `\n...[${left} characters left out]...\n`

/** A quarter from the beginning, the rest from the end; never longer than `charsMax`. */
export function keepEnds(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const room = charsMax - mark(text.length).length
  if (room < 2) return whole(text.slice(text.length - Math.max(0, charsMax)))
  const head = whole(text.slice(0, Math.floor(room / 4)))
  const tail = whole(text.slice(text.length - (room - Math.floor(room / 4))))
  return `${head}${mark(text.length - head.length - tail.length)}${tail}`
}

/** A cut between the halves of a surrogate pair would leave half a character at either end. */
const whole = (text: string): string =>
  text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '')
