/**
 * Rules that Cedar has parsed once. Cedar keeps parsed sets by name and cannot forget one, so a fixed number of names is
 * used in turn (E9).
 */

import type { Cedar } from './cedar.ts'
import { basePolicy } from './policy-language.ts'
import type { PolicyRule } from './read-rules.ts'

export interface PreparedRules {
  /** The name of the parsed set, parsed again if its name was given to others. */
  name(): string
  /** By the key that Cedar answers with. */
  readonly byKey: ReadonlyMap<string, PolicyRule>
}

const baseKey = 'base'

const namesMax = 256

interface Names {
  readonly taken: PreparedRules[]
  /** How many were given out. */
  count: number
}

const namesByCedar = new WeakMap<Cedar, Names>()

function namesOf(cedar: Cedar): Names {
  const known = namesByCedar.get(cedar) ?? { taken: [], count: 0 }
  namesByCedar.set(cedar, known)
  return known
}

export function prepareRules(cedar: Cedar, rules: readonly PolicyRule[]): PreparedRules {
  const names = namesOf(cedar)
  const byKey = new Map(rules.map((rule, index) => [`r${index}`, rule]))
  const texts = Object.fromEntries([
    [baseKey, basePolicy],
    ...[...byKey].map(([key, { text }]) => [key, text] as const),
  ])
  let index = -1
  const prepared: PreparedRules = {
    byKey,
    name() {
      if (names.taken[index] !== prepared) {
        index = names.count++ % namesMax
        names.taken[index] = prepared
        const answer = cedar.preparsePolicySet(`set${index}`, { staticPolicies: texts })
        if (answer.type === 'failure') throw new Error(answer.errors[0]?.message ?? 'not parsed')
      }
      return `set${index}`
    },
  }
  return prepared
}
