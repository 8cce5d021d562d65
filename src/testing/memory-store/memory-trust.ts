/** The levels of loops, in memory. */

import { type LevelChange, type LevelScope, type Trust } from '../../engine/index.ts'
import type { MemoryData } from './memory-data.ts'

export function createMemoryTrust(data: MemoryData): Trust {
  const ofScope = (scope: LevelScope): readonly LevelChange[] =>
    data.levelChanges.filter((one) => isIn(one, scope))
  return {
    async record({ after, level, starting = 1, ...change }) {
      const earlier = ofScope(change)
      const known = earlier.find(({ key }) => key === change.key)
      if (known !== undefined) return structuredClone(known)
      const last = earlier.at(-1)
      if (after !== undefined && after !== (last?.id ?? 0)) return undefined
      const from = last?.level ?? starting
      const below = from === 3 ? 2 : 1
      const stored: LevelChange = structuredClone({
        ...change,
        id: data.levelChanges.length + 1,
        from,
        level: level === 'lower' ? below : (level ?? from),
      })
      data.levelChanges = [...data.levelChanges, stored]
      return structuredClone(stored)
    },
    current: async (scope) => structuredClone(ofScope(scope).at(-1)),
    changes: async ({ loop, repository, kind, causes = [], limit, before }) =>
      structuredClone(
        data.levelChanges
          .filter((one) => loop === undefined || one.loop === loop)
          .filter((one) => repository === undefined || (one.repository ?? '') === repository)
          .filter((one) => kind === undefined || one.kind === kind)
          .filter((one) => causes.length === 0 || causes.includes(one.cause))
          .filter((one) => before === undefined || one.id < before)
          .toReversed()
          .slice(0, limit),
      ),
  }
}

const isIn = (change: LevelScope, { loop, repository, kind }: LevelScope): boolean =>
  change.loop === loop && change.repository === repository && change.kind === kind
