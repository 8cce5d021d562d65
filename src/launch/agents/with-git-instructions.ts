/** Tells an agent in a git worktree that it cannot and need not commit. */

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../../agents/index.ts'

const rule =
  'You work in a git worktree whose .git is read-only. Do not commit: what you changed is committed ' +
  'for you when you have ended. Git commands that fail because of this can be ignored.'

export const withGitInstructions = (agent: Agent): Agent => ({
  async work(task, context) {
    const { workspace } = context
    if (workspace === undefined || !(await isWorktree(workspace))) return agent.work(task, context)
    const prompt = `${task.prompt.trimEnd()}\n\n${rule}\n`
    await context.keepPrompt?.(prompt)
    return agent.work({ ...task, prompt }, context)
  },
})

/** In a worktree, `.git` is a file that points to the repository. */
async function isWorktree(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, '.git')).catch(() => undefined)
  return found?.isFile() === true
}
