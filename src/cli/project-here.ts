/** The project in the current folder, and the agents of this machine, for commands that write loop files. */

import { homedir } from 'node:os'
import { parse } from 'node:path'
import { LoopError } from '../loop/index.ts'
import type { InitFound } from './init-answers.ts'

export async function inspectMachine(folder: string, state: string): Promise<InitFound> {
  const { inspectFolder } = await import('../launch/init/inspect-folder.ts')
  const { findAgents } = await import('../launch/agents/find-agents.ts')
  const project = await inspectFolder(folder)
  const projectFolders = [
    project.folder,
    ...(project.repository === undefined ? [] : [project.repository]),
  ]
  return { project, agents: await findAgents(state, { projectFolders }) }
}

/** Refuses the home folder and the root: a loop for all of it is never intended. */
export function requireProjectFolder(): string {
  const folder = process.cwd()
  if (folder !== homedir() && folder !== parse(folder).root) return folder
  const message = `A loop here would cover all of ${folder}.`
  throw new LoopError('bad-request', `${message} Change to the folder of a project first.`)
}
