/** The numbers of the context: which of them a rule refers to, and their values for Cedar. */

import type { PolicyContext } from '../../loop/index.ts'

type Name = keyof PolicyContext

const names: readonly Name[] = [
  'iteration',
  'tokens',
  'inputTokens',
  'outputTokens',
  'costMicros',
  'elapsedMs',
  'filesChanged',
  'sealedTouched',
  'verified',
  'level',
]

/** In the conditions of a rule, as Cedar writes them in JSON. Any other use of the context counts as all numbers. */
export function findNumbers(conditions: unknown): readonly Name[] {
  const found = new Set<Name>()
  collect(conditions, found)
  return names.filter((name) => found.has(name))
}

function collect(node: unknown, found: Set<Name>): void {
  if (typeof node !== 'object' || node === null) return
  const name = readNumber(node)
  if (name !== undefined) {
    found.add(name)
    return
  }
  if ('Var' in node && node.Var === 'context') for (const each of names) found.add(each)
  for (const value of Object.values(node)) collect(value, found)
}

/** `context.<name>`. */
function readNumber(node: object): Name | undefined {
  const { '.': access } = node as {
    readonly '.'?: { readonly left?: unknown; readonly attr?: unknown }
  }
  const { Var: left } = (access?.left ?? {}) as { readonly Var?: unknown }
  return left === 'context' ? names.find((name) => name === access?.attr) : undefined
}

/** Cedar has no fractions, and an amount over this cannot be passed exactly. */
const toWhole = (value: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)))

export function pickNumbers(
  context: PolicyContext,
  wanted: ReadonlySet<Name>,
): Readonly<Record<string, number>> {
  const picked: Record<string, number> = {}
  for (const name of wanted) picked[name] = toWhole(context[name])
  return picked
}
