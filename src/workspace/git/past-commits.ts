/** Lists the last commits of a branch, with their changed paths. Runs no code of the repository. */

import type { TreeId } from '../../loop/index.ts'
import { fromBuffer, toDisplay } from '../bytes.ts'
import { toTreeId } from './git-tree-id.ts'
import { isObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'

export interface PastCommit {
  readonly commit: string
  readonly subject: string
  /** The tree of its first parent. */
  readonly before: TreeId
  readonly after: TreeId
  readonly paths: readonly string[]
}

/** The start of a record; a subject may contain `@@`. */
const recordStart = /@@(?=[0-9a-f]{40,64}\t[0-9a-f]{40,64}\t)/

const outputBytesMax = 8 * 1024 * 1024

/** Newest first, along first parents, without merges and the root commit. */
export async function listPastCommits(
  repository: Repository,
  commit: string,
  max: number,
  git: RunGit = runGit,
): Promise<readonly PastCommit[]> {
  const { exitCode, stdout } = await git({
    at: { gitDir: repository.commonDir },
    command: 'log',
    options: [
      '-z',
      // Ids contain no tab, and a subject is one line.
      '--format=format:@@%H%x09%T%x09%P%x09%s',
      '--first-parent',
      `--max-count=${max + 1}`,
      '--diff-merges=off',
      '--name-only',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--no-show-signature',
      '--no-notes',
    ],
    operands: [commit],
    // A shallow clone lacks older commits; unreadable history counts as none.
    answers: [0, 128],
    outputBytesMax,
  })
  if (exitCode !== 0) return []
  const read = fromBuffer(stdout)
    .split(recordStart)
    .map(parse)
    .filter(({ commit: id, tree }) => isObjectId(id) && isObjectId(tree))
  return read.slice(0, max).flatMap(({ parents, tree, ...one }, index): PastCommit[] => {
    const parent = read[index + 1]
    if (parent === undefined || parents.length !== 1 || parent.commit !== parents[0]) return []
    const { commit: id, subject, paths } = one
    return [{ commit: id, subject, before: toTreeId(parent.tree), after: toTreeId(tree), paths }]
  })
}

function parse(record: string): {
  readonly commit: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly subject: string
  readonly paths: readonly string[]
} {
  // The header ends with a newline if paths follow, else with a NUL.
  const end = record.search(/[\n\0]/)
  const head = end === -1 ? record : record.slice(0, end)
  const [commit = '', tree = '', parents = '', ...subject] = head.split('\t')
  const paths = end === -1 ? [] : record.slice(end + 1).split('\0')
  return {
    commit,
    tree,
    parents: parents.split(' ').filter((id) => id !== ''),
    subject: toDisplay(subject.join('\t')),
    paths: paths.filter((path) => path !== '').map((path) => toDisplay(path)),
  }
}
