/**
 * Lists branches, remote branches and tags in the form of `packed-refs`, without a process: the names are read from the
 * repository's files, and a session resolves them. Refs whose objects are missing are left out.
 */

import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { fromText } from '../bytes.ts'
import { resolveObjects } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import type { RunGit } from '../git/run-git.ts'
import { readBelow } from '../git/small-file.ts'
import { hasCode } from '../workspace-directory.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'

const roots = ['refs/heads', 'refs/remotes', 'refs/tags']
const namesMax = 5000

export async function listRefs(
  git: RunGit,
  files: WorktreeFiles,
  repository: Repository,
): Promise<string> {
  const names = await readNames(files, repository)
  if (names === undefined) return listWithGit(git, repository)
  const asked = names.flatMap((name) => [name, `${name}^{}`])
  const ids = await resolveObjects(git, repository.commonDir, asked)
  return names
    .map((name, index) => {
      const [id, peeled] = ids.slice(index * 2, index * 2 + 2)
      if (id === undefined) return ''
      return `${id} ${name}\n${peeled === undefined || peeled === id ? '' : `^${peeled}\n`}`
    })
    .join('')
}

/** Undefined: there are many, or their file cannot be read safely. */
async function readNames(
  files: WorktreeFiles,
  { commonDir }: Repository,
): Promise<readonly string[] | undefined> {
  const path = join(commonDir, 'packed-refs')
  const packed = await readBelow(files, commonDir, path)
  if (packed === undefined && (await files.lstat(path).catch(() => undefined)) !== undefined)
    return undefined
  const found = new Set((packed ?? '').split('\n').flatMap(parsePacked))
  const folders = [...roots]
  for (const folder of folders) {
    for (const entry of await readFolder(join(commonDir, folder), files)) {
      const name = `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile() && isRefName(name)) found.add(name)
    }
    if (found.size + folders.length > namesMax) return undefined
  }
  return [...found].toSorted((one, two) => (fromText(one) < fromText(two) ? -1 : 1))
}

async function readFolder(path: string, files: WorktreeFiles): Promise<readonly Dirent[]> {
  try {
    return await files.readdir(path, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** `<id> <name>`. */
function parsePacked(line: string): readonly string[] {
  const name = /^[0-9a-f]{40,64} (.+)$/.exec(line)?.[1]
  const isListed = name !== undefined && roots.some((root) => name.startsWith(`${root}/`))
  return isListed && isRefName(name) ? [name] : []
}

/** Any other text could be an expression, such as the parent of a commit. */
const isRefName = (name: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git allows none in a name
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\/\.|\.lock(?:\/|$)|\.$/.test(name)

async function listWithGit(git: RunGit, { commonDir }: Repository): Promise<string> {
  const format = '%(objectname) %(refname)%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)'
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options: [`--format=${format}`],
    operands: roots,
    answers: [0, 1],
  })
  return stdout.toString('utf8')
}
