/** At a terminal: asks about dependencies that are installed only after the user agreed. */

import type { Command } from 'commander'
import { confirm } from '../ask.ts'
import { visible } from '../display/render.ts'
import { openSession, readStateFolder, who } from '../session.ts'
import { loadTrusted } from '../trust.ts'
import type { RunOptions } from './start-options.ts'

/** The same options, with what the user agreed to. Without a terminal the preflight says what is missing. */
export async function agreeOnDependencies<T extends RunOptions>(
  program: Command,
  file: string,
  options: T,
): Promise<T> {
  const session = openSession(program)
  if (!session.terminal.asks || options.dependencies !== undefined) return options
  const state = await readStateFolder(program)
  const look = { purpose: 'look' } as const
  // A file that cannot be loaded, or is not trusted yet, is reported by the run itself.
  const loaded = await loadTrusted(session, state, file, options, look).catch(() => undefined)
  if (loaded === undefined) return options
  const { workspaceFor } = await import('../../launch/start/workspace-for.ts')
  const workspace = workspaceFor(options.workspace, loaded)
  const { planChecks } = await import('../../launch/checks/plan-checks.ts')
  const { certify } = await planChecks(loaded, workspace)
  const { findMissingDependencies } = await import('../../launch/preflight/missing-dependencies.ts')
  const { sources, unresolved } = await findMissingDependencies(
    workspace,
    certify.dependencies,
    state,
  )
  if (sources.length > 0) {
    const listed = sources.map(({ text }) => `  ${visible(text)}\n`).join('')
    process.stdout.write(`The lockfile names packages outside of your registries:\n${listed}`)
    if (await confirm('Fetch exactly these, and install them in the sandbox?')) {
      const { openApprovedItems } = await import(
        '../../launch/dependencies/dependency-approvals.ts'
      )
      const ids = sources.map(({ id }) => id)
      await openApprovedItems(state).approve(ids, who())
    }
  }
  if (unresolved === undefined) return options
  process.stdout.write(
    `There is no lockfile, and no dependencies are installed: ${visible(unresolved)}.\n`,
  )
  return (await confirm('Choose versions now, and install them in the sandbox?'))
    ? { ...options, dependencies: 'resolve' }
    : options
}
