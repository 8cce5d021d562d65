/** The tool `list`: lists a folder. */

import { lstat, readlink } from 'node:fs/promises'
import { z } from 'zod'
import { withFolder } from './open-folder.ts'
import { isHidden } from './protection.ts'
import { defineTool, type Tool } from './tool.ts'
import { type Entry, listEntries } from './walk-folder.ts'

const entriesMax = 1000
const targetCharsMax = 200

const parameters = z.strictObject({
  path: z.string().min(1).default('.').describe('A folder of the workspace.'),
})

export function listTool(): Tool {
  return defineTool({
    name: 'list',
    description:
      'Lists a folder: folders end in "/", links show their target, files their size in bytes.',
    parameters,
    risk: 'read-only',
    run: ({ path }, context) =>
      withFolder(context, path, async (folder) => {
        let isCut = false
        const onLimit = (): void => {
          isCut = true
        }
        const entries = await listEntries(folder, { signal: context.signal, onLimit })
        const shownEntries = entries.slice(0, entriesMax)
        const lines = await Promise.all(shownEntries.map(describeEntry))
        if (lines.length === 0) return '[The folder is empty.]'
        const omitted = entries.length - shownEntries.length
        const more =
          omitted > 0 ? [`[${omitted}${isCut ? ' or more' : ''} more: use glob to narrow it.]`] : []
        return [...lines, ...more].join('\n')
      }),
  })
}

async function describeEntry({ folder, name, path, kind }: Entry): Promise<string> {
  const shown = printable(name)
  if (kind === 'hidden') return `${shown}\t(hidden)`
  if (kind === 'folder') return `${shown}/`
  try {
    if (kind === 'link') {
      const target = await readlink(folder.at(name))
      return `${shown} -> ${printable(target.slice(0, targetCharsMax))}`
    }
    const stats = await lstat(folder.at(name), { bigint: true })
    if (isHidden(folder.protection, path, stats)) return `${shown}\t(hidden)`
    const { size } = stats
    return kind === 'file' ? `${shown}\t${size}` : `${shown}\t(no regular file)`
  } catch {
    return shown
  }
}

/** One line each, whatever a name contains. */
export const printable = (name: string): string =>
  /\p{Cc}/u.test(name) ? JSON.stringify(name) : name
