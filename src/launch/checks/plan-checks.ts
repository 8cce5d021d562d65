/** What a loop file would check and certify with in a folder, for those who want to know before. */

import type { Scope } from '../../evidence/index.ts'
import { type ExistingFailure, textOf } from '../../loop/index.ts'
import type { CheckSettings, LoopFile } from '../../protocol/index.ts'
import { folderFiles } from './folder-reader.ts'
import { agentName, describeCommands } from './open-checks.ts'
import { resolveChecks } from './resolve-checks.ts'

export interface PlannedCheck {
  readonly name: string
  readonly type: CheckSettings['type'] | 'code'
  /** The command, the tool, the agent that judges; empty where there is none. */
  readonly text: string
  /** Why a run would be refused. */
  readonly problem?: string
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

export async function planChecks(
  { checks, scope, seals, certify }: Pick<LoopFile, 'checks' | 'scope' | 'seals' | 'certify'>,
  workspace: string,
  code: readonly string[] = [],
): Promise<PlannedChecks> {
  const planned: PlannedCheck[] = []
  for (const [name, check] of Object.entries(checks)) {
    const { timeoutMs, existing } = check
    const isCode = code.includes(name)
    const found = isCode ? { text: 'code of the loop' } : await textFor(name, check, workspace)
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

/** As it would be derived from the folder as it is now. */
export async function planScope(
  globs: LoopFile['scope'],
  workspace: string,
): Promise<PlannedChecks['scope']> {
  const { scopeOf } = await import('../../evidence/index.ts')
  const { reader, tree } = folderFiles(workspace)
  const { from, lines } = await scopeOf(reader, tree, { scope: globs })
  return { from, lines }
}

type Text = Pick<PlannedCheck, 'text' | 'problem'>

async function textFor(name: string, check: CheckSettings, workspace: string): Promise<Text> {
  switch (check.type) {
    case 'command':
      return { text: check.command.join(' ').replace(/^\/bin\/sh -c /, '') }
    case 'tool':
      return { text: `the tool ${check.tool}` }
    case 'judge':
      return { text: `a judge (${agentName(check.agent)})` }
    case 'condition':
      return commandFor(name, check, workspace)
  }
}

async function commandFor(
  name: string,
  check: Extract<CheckSettings, { type: 'condition' }>,
  workspace: string,
): Promise<Text> {
  const begun = () => folderFiles(workspace)
  try {
    const resolved = await resolveChecks(
      { [name]: check },
      { begun, isOffline: false, problems: [] },
    )
    const found = resolved[name]
    return { text: found?.type === 'standard' ? describeCommands(found.commands).join(' ') : '' }
  } catch (error) {
    return { text: '', problem: textOf(error) }
  }
}
