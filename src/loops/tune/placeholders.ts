/**
 * The placeholders of a manifest's commands. A value is never part of the text of a command: the text gets a reference to
 * a variable, quoted for the place where it is, and the value is in the environment. So a case that is named
 * `$(touch x).txt` is just a name. Pure.
 *
 * 1. The shell expands a reference to exactly one word, or to a part of one, whatever the value is.
 * 2. A place where that cannot be guaranteed is refused: inside backticks, arithmetic, `${…}` or a here-document, and in
 *    text that another interpreter runs, such as that of `sh -c`.
 */

export const placeholderNames = ['case', 'name', 'output', 'expected'] as const
export type PlaceholderName = (typeof placeholderNames)[number]

export type PlaceholderValues = { readonly [Name in PlaceholderName]?: string }

export type ShellText =
  | { readonly type: 'text'; readonly text: string; readonly names: readonly PlaceholderName[] }
  | { readonly type: 'refused'; readonly reason: string }

const variableOf: Readonly<Record<PlaceholderName, string>> = {
  case: 'LOOP_CASE',
  name: 'LOOP_NAME',
  output: 'LOOP_OUTPUT',
  expected: 'LOOP_EXPECTED',
}

/** The environment that the references read. */
export function toEnvironment(values: PlaceholderValues): { readonly [name: string]: string } {
  const entries = placeholderNames.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [[variableOf[name], value] as const]
  })
  return Object.fromEntries(entries)
}

/** A path as an argument: one that starts with `-` would be read as an option. */
export const toArgument = (path: string): string => (path.startsWith('-') ? `./${path}` : path)

/** Where the scanner is. `refuses`: why no placeholder may be here. */
interface Place {
  readonly quote: 'none' | 'single' | 'double'
  /** What ends it. */
  readonly end: string
  readonly refuses?: string
}

const top: Place = { quote: 'none', end: '' }

/** Replaces the placeholders by references. */
export function toShellText(command: string): ShellText {
  const names = new Set<PlaceholderName>()
  const places: Place[] = [top]
  let text = ''
  let at = 0
  while (at < command.length) {
    const place = places.at(-1) ?? top
    const found = place.quote === 'single' ? undefined : openPlace(command, at, place)
    const name = findPlaceholder(command, at)
    if (name !== undefined) {
      const reason = place.refuses ?? findInterpreter(command, at, place)
      if (reason !== undefined) return refuse(name, reason)
      names.add(name)
      text += toReference(name, place)
      at += name.length + 2
    } else if (place.end !== '' && command.startsWith(place.end, at)) {
      places.pop()
      text += place.end
      at += place.end.length
    } else if (found !== undefined) {
      places.push(found.place)
      text += found.text
      at += found.text.length
    } else {
      const isEscape = command[at] === '\\' && place.quote !== 'single'
      text += command.slice(at, at + (isEscape ? 2 : 1))
      at += isEscape ? 2 : 1
    }
  }
  const open = places.at(-1)
  if (open !== undefined && open !== top && names.size > 0) {
    return { type: 'refused', reason: `the command has no closing ${open.end}` }
  }
  return { type: 'text', text, names: [...names] }
}

function findPlaceholder(command: string, at: number): PlaceholderName | undefined {
  if (command[at] !== '{') return undefined
  return placeholderNames.find((name) => command.startsWith(`{${name}}`, at))
}

/** Single quotes are left for the reference, because nothing is expanded in them. */
function toReference(name: PlaceholderName, { quote }: Place): string {
  const reference = `\${${variableOf[name]}}`
  if (quote === 'double') return reference
  return quote === 'single' ? `'"${reference}"'` : `"${reference}"`
}

const openings: readonly { readonly text: string; readonly place: Place }[] = [
  { text: '$((', place: { quote: 'none', end: '))', refuses: 'inside $(( ))' } },
  { text: '$(', place: { quote: 'none', end: ')' } },
  { text: '${', place: { quote: 'none', end: '}', refuses: 'inside ${ }' } },
  { text: '`', place: { quote: 'none', end: '`', refuses: 'inside backticks' } },
  { text: '"', place: { quote: 'double', end: '"' } },
]

const unquotedOpenings: readonly { readonly text: string; readonly place: Place }[] = [
  { text: '<<', place: { quote: 'none', end: '\0', refuses: 'after << (a here-document)' } },
  { text: "$'", place: { quote: 'none', end: "'", refuses: "inside $' '" } },
  { text: "'", place: { quote: 'single', end: "'" } },
  { text: '(', place: { quote: 'none', end: ')' } },
]

function openPlace(
  command: string,
  at: number,
  { quote, end }: Place,
): (typeof openings)[number] | undefined {
  // A comment may contain a lone quote.
  if (quote === 'none' && command[at] === '#' && /(?:^|[\s;&|()])$/.test(command.slice(0, at))) {
    return { text: '#', place: { quote: 'none', end: '\n', refuses: 'in a comment' } }
  }
  const possible = quote === 'none' ? [...openings, ...unquotedOpenings] : openings
  return possible.find(({ text }) => text !== end && command.startsWith(text, at))
}

/** The word after it is code of another interpreter, which would parse the value again. */
const interpreterPattern =
  /(?:^|[\s;&|(/])(?:eval|(?:(?:ba|da|z|k)?sh|python[\d.]*|node|perl|ruby|php|deno|bun)\s(?:[^;&|]*\s)?(?:-[a-zA-Z]*[ceErp]|--eval|--print))[\s=]+$/

function findInterpreter(command: string, at: number, { quote }: Place): string | undefined {
  const before = command.slice(0, at)
  const start = quote === 'none' ? before.search(/\S*$/) : openQuote(before, quote)
  if (!interpreterPattern.test(before.slice(0, start))) return undefined
  return 'in code of another interpreter, which would run parts of the value'
}

const openQuote = (before: string, quote: 'single' | 'double'): number =>
  before.lastIndexOf(quote === 'single' ? "'" : '"')

const refuse = (name: PlaceholderName, reason: string): ShellText => ({
  type: 'refused',
  reason: `{${name}} cannot be ${reason}. Use "$${variableOf[name]}" there, in the quotes of that place`,
})
