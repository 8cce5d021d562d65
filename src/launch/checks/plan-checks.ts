/** Plans the checks and the scope of a loop file in a folder, without running anything. */

import type { Scope } from '../../evidence/index.ts'
import type { ExistingFailure } from '../../loop/index.ts'
import type { CheckSettings, LoopFile } from '../../protocol/index.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import type { PlannedText } from './check-runner.ts'
import { folderFiles } from './folder-reader.ts'
import { checkKind } from './kinds/registry.ts'

export interface PlannedCheck extends PlannedText {
  readonly name: string
  readonly type: CheckSettings['type'] | 'code'
  readonly timeoutMs: number
  readonly existing: ExistingFailure
}

export interface PlannedChecks {
  readonly checks: readonly PlannedCheck[]
  readonly scope: Pick<Scope, 'from' | 'lines'>
  readonly seals: LoopFile['seals']
  readonly certify: Pick<
    LoopFile['certify'],
    'dependencies' | 'require' | 'quick' | 'deadlineMs'
  > & {
    readonly consult: readonly string[]
  }
}

/** What a loop would check and certify with in a folder. */
export async function planChecks(
  { definition }: Pick<LoadedLoop, 'definition'>,
  workspace: string,
): Promise<PlannedChecks> {
  const { checks, scope, seals, certify } = definition.file
  const code = definition.type === 'code' ? definition.described.checks : []
  const planned: PlannedCheck[] = []
  for (const [name, check] of Object.entries(checks)) {
    const { timeoutMs, existing } = check
    const isCode = code.includes(name)
    const found = isCode
      ? { text: 'code of the loop' }
      : await checkKind(check).plan(name, check, workspace)
    planned.push({ name, type: isCode ? 'code' : check.type, ...found, timeoutMs, existing })
  }
  const { dependencies, require, quick, deadlineMs } = certify
  const consult = certify.consult.map(({ name }) => name)
  return {
    checks: planned,
    scope: await planScope(scope, workspace),
    seals,
    certify: { dependencies, require, quick, deadlineMs, consult },
  }
}

/** The scope that would be derived from the current files of the folder. */
export async function planScope(
  globs: LoopFile['scope'],
  workspace: string,
): Promise<PlannedChecks['scope']> {
  const { scopeOf } = await import('../../evidence/index.ts')
  const { reader, tree } = folderFiles(workspace)
  const { from, lines } = await scopeOf(reader, tree, { scope: globs })
  return { from, lines }
}
