/** The folders of an agent program for one step: a home that it may write to, and settings that it may read. */

import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent, Launch } from '../../agents/index.ts'
import { makePrivateFolder } from '../../workspace/index.ts'

export interface ProgramFolders {
  readonly settings: string
  readonly home: string
  remove(): Promise<void>
}

/** In the temporary folder, because the folder of sockets is not visible in the sandbox. */
export async function makeProgramFolders(): Promise<ProgramFolders> {
  const temporary = await makePrivateFolder(tmpdir())
  const settings = join(temporary.path, 'settings')
  const home = join(temporary.path, 'home')
  await mkdir(settings, { mode: 0o700 })
  await mkdir(home, { mode: 0o700 })
  return { settings, home, remove: temporary.remove }
}

export async function writeSettings(
  { settings = {} }: Pick<Launch, 'settings'>,
  folder: string,
): Promise<void> {
  for (const [name, text] of Object.entries(settings)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
  }
}

export const withCleanup = (agent: Agent, remove: () => Promise<void>): Agent => ({
  async work(task, context) {
    try {
      return await agent.work(task, context)
    } finally {
      await remove()
    }
  },
})
