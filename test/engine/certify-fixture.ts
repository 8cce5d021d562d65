/** Shared by the tests of certification. */

import type { Certification, Check, Workspace } from '../../src/engine/index.ts'
import type { Findings, Json, LoopType, Question } from '../../src/loop/index.ts'
import { loopOf, type MemoryWorkspace } from './fixture.ts'

export const met: Check = async () => ({ status: 'met', output: 'ok' })

/** Writes its number in each iteration, and gets the engine's findings. */
export function counting(
  workspace: MemoryWorkspace,
  findings: Findings[] = [],
): LoopType<Json, number | undefined, number, number> {
  return loopOf<number>(
    async (_context, it) => {
      await it.step('write', () => void workspace.files.set('log', `${it.number}`))
      return it.number
    },
    {
      extractProgress: (result, _previous, found) => {
        findings.push(found)
        return found.refusals.length === 0 ? result : -result
      },
      until: [{ type: 'checks-pass' }, { type: 'max-iterations', iterations: 3 }],
    },
  )
}

export const keeping = (workspace: MemoryWorkspace & Workspace): MemoryWorkspace & Workspace => ({
  ...workspace,
  keep: async ({ tree }) => ({ commit: `commit of ${tree}` }),
})

export const refused: Certification = {
  type: 'refused',
  refusals: [{ code: 'toothless', message: 'nothing notices a defect' }],
}

export const question: Question = {
  text: 'May the test go?',
  options: ['no', 'yes'],
  default: 'no',
  deadlineMs: 1000,
}
export const asks: Certification = { type: 'asks', key: 'sealed', question }
