/** Plants failures in shell scripts. */

import { type Edit, insert } from '../test-source.ts'
import type { ProgramPlantRequest } from './program-plants.ts'

export const isShell = (file: string, text: string): boolean =>
  /\.(?:sh|bash|bats|ksh|zsh)$/.test(file) ||
  (!/\.\w+$/.test(file) && /^#!\s?\S*(?:\/|\s)(?:ba|da|k|z)?sh\b/.test(text))

/** Uses comparisons, so that a script that replaced them does not notice it. */
function failCommand(marker: string): string {
  const given = `"${marker.replaceAll(/[^\w ]/g, '_')}" = ""`
  return `[ ${given} ] || test ${given} || exit 1\n`
}

export function plantInShell({
  text,
  kind,
  marker,
}: ProgramPlantRequest): readonly Edit[] | undefined {
  if (kind === 'value' || kind === 'restated') return undefined
  if (kind === 'start') {
    const first = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0
    return [insert(first === 0 && text.startsWith('#!') ? text.length : first, failCommand(marker))]
  }
  const { start, code } = lastStatement(text)
  const endsScript = /(?:^|[;&|\s])(?:exit|exec|return)\b/.test(code)
  if (endsScript) return [insert(start, failCommand(marker))]
  return [insert(text.length, `${text.endsWith('\n') ? '' : '\n'}${failCommand(marker)}`)]
}

const closing = /^(?:fi|done|esac|else|elif|then|do|\}|\)|;;)/

/** From the last line without indentation that does not continue a statement. */
function lastStatement(text: string): { readonly start: number; readonly code: string } {
  let start = 0
  let at = 0
  for (const line of text.split('\n')) {
    if (/^[^\s#]/.test(line) && !closing.test(line)) start = at
    at += line.length + 1
  }
  return { start, code: text.slice(start) }
}
