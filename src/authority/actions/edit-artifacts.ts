/**
 * Replaces texts of files where the user works, each only if it is still what the run began with. It is written completely or
 * not at all, and never through a link.
 */

import { randomUUID } from 'node:crypto'
import { lstat, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Actions } from '../../engine/index.ts'
import type { Action } from '../../loop/index.ts'
import { definite, done, failed, found, notDone, readDetails, unknown } from './executor.ts'

const schema = z.object({
  files: z
    .array(z.object({ path: z.string().min(1), from: z.string(), to: z.string() }))
    .min(1)
    .max(1000),
})

type File = z.infer<typeof schema>['files'][number]

/** `folder`: where the user's files are; absent: the run has none. */
export function editArtifactsExecutor(folder: string | undefined): Actions {
  const read = (action: Action): readonly File[] => {
    const { files } = readDetails(schema, action)
    for (const { path } of files) {
      const isInner =
        path.split('/').every((part) => !/^\.{0,2}$/.test(part)) && !path.includes('\0')
      if (!isInner) throw failed(`${JSON.stringify(path)} is not a path inside the workspace`)
    }
    return files
  }
  return {
    async perform(action, _key, { fence }) {
      const files = read(action)
      const root = requireFolder(folder)
      await definite(async () => {
        for (const file of files) {
          const text = await readPlain(root, file.path)
          if (text === file.from || text === file.to) continue
          throw failed(
            `${file.path} has changed since the run began. Merge the change from LOOP.md by hand.`,
          )
        }
      })
      // From here on a part of it may be done.
      for (const file of files) {
        await fence()
        await replace(root, file)
      }
      return done(`changed ${files.map(({ path }) => path).join(', ')}`)
    },
    async find(action) {
      const files = read(action)
      const root = requireFolder(folder)
      const texts = await Promise.all(files.map(({ path }) => readPlain(root, path)))
      if (files.every(({ to }, at) => texts[at] === to)) {
        return found(`changed ${files.map(({ path }) => path).join(', ')}`)
      }
      // It is safe to go on: what was replaced already is left as it is.
      return files.every(({ from, to }, at) => texts[at] === from || texts[at] === to)
        ? notDone
        : unknown
    },
  }
}

function requireFolder(folder: string | undefined): string {
  if (folder !== undefined) return folder
  throw failed('The run has no workspace.')
}

async function readPlain(root: string, path: string): Promise<string | undefined> {
  const parts = path.split('/')
  for (const [at] of parts.entries()) {
    const stats = await lstat(join(root, ...parts.slice(0, at + 1))).catch(() => undefined)
    const isLast = at === parts.length - 1
    if (stats === undefined || (isLast ? !stats.isFile() : !stats.isDirectory())) return undefined
  }
  return readFile(join(root, path), 'utf8')
}

async function replace(root: string, { path, to }: File): Promise<void> {
  if ((await readPlain(root, path)) === to) return
  const target = join(root, path)
  const { mode } = await lstat(target)
  const temporary = join(dirname(target), `.${randomUUID()}`)
  try {
    await writeFile(temporary, to, { mode: mode & 0o777, flag: 'wx' })
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}
