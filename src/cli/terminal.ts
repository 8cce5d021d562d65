/**
 * The properties of the terminal: whether there is one, whether to use color, its width.
 * --color, then NO_COLOR and FORCE_COLOR as everywhere; no prompt and no repainting without a terminal.
 */

export interface Terminal {
  /** Lines can be repainted. */
  readonly live: boolean
  /** A person can be asked. */
  readonly asks: boolean
  readonly style: Style
  width(): number
}

/** The value of `--color`, which overrides the environment. */
export type ColorChoice = 'auto' | 'always' | 'never'

export type Style = Readonly<Record<Tone, (text: string) => string>>

type Tone = keyof typeof codes

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export function describeTerminal(
  streams: { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream },
  environment: NodeJS.ProcessEnv,
  options: { readonly input?: boolean; readonly color?: ColorChoice | undefined } = {},
): Terminal {
  const { input, output } = streams
  const isDumb = environment['TERM'] === 'dumb'
  const live = isTerminal(output) && !isDumb && environment['CI'] === undefined
  return {
    live,
    asks: live && isTerminal(input) && options.input !== false,
    style: createStyle(wantsColor(environment, isTerminal(output) && !isDumb, options.color)),
    width: () => Math.max(40, output.columns ?? 80),
  }
}

/** The types claim that it is always set; on a pipe it is not. */
const isTerminal = ({ isTTY }: { readonly isTTY?: boolean }): boolean => isTTY === true

function wantsColor(
  environment: NodeJS.ProcessEnv,
  painted: boolean,
  choice: ColorChoice = 'auto',
): boolean {
  if (choice !== 'auto') return choice === 'always'
  // Set and not empty, whatever the value: https://no-color.org
  if ((environment['NO_COLOR'] ?? '') !== '') return false
  const forced = environment['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return painted
}

export function createStyle(color: boolean): Style {
  const tones = Object.entries(codes).map(([tone, [on, off]]) => [
    tone,
    color ? (text: string) => `\u001B[${on}m${text}\u001B[${off}m` : (text: string) => text,
  ])
  return Object.fromEntries(tones) as Style
}
