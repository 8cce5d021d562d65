/**
 * The completion token of agents. It is a hint that is recorded: a run ends because its plan is done and its work is
 * certified, whatever an agent says.
 */

export interface CompletionSettings {
  readonly token: string
  /** `exact`: the whole answer is the token. `trailing`: its last line is. */
  readonly mode: 'exact' | 'trailing'
}

export type CompletionHint = 'complete' | 'malformed' | 'none'

export const completionDefaults: CompletionSettings = {
  token: '<promise>COMPLETE</promise>',
  mode: 'trailing',
}

export function readCompletionHint(
  text: string,
  { token, mode }: CompletionSettings,
): CompletionHint {
  const answer = text.trim()
  const last = answer.split('\n').at(-1)?.trim()
  if ((mode === 'exact' ? answer : last) === token) return 'complete'
  return answer.includes(token) || isNearMiss(answer, token) ? 'malformed' : 'none'
}

/** Another case, other white space, or without its end tag. */
function isNearMiss(text: string, token: string): boolean {
  const reduce = (one: string): string => one.replaceAll(/\s+/g, '').toLowerCase()
  const wanted = reduce(token)
  const start = wanted.replace(/<\/[^>]*>$/, '')
  const found = reduce(text)
  return found.includes(wanted) || (start.startsWith('<') && found.includes(start))
}
