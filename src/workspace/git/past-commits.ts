/** The last commits of a branch, with what each changed. Nothing of the repository is run for it. */

import type { TreeId } from '../../loop/index.ts'
import { fromBuffer, show } from '../bytes.ts'
import { toTreeId } from './git-tree-id.ts'
import { isObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'

export interface PastCommit {
  readonly commit: string
  readonly subject: string
  /** Of its first parent. */
  readonly before: TreeId
  readonly after: TreeId
  readonly paths: readonly string[]
}

/** A subject may hold anything. */
const marks = /@@(?=[0-9a-f]{40,64}\t[0-9a-f]{40,64}\t)/

const outputBytesMax = 8 * 1024 * 1024

/** The newest first, along first parents; merges, and the very first commit, are left out. */
export async function pastCommits(
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
      // A tab is in no id, and a subject is one line.
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
    // A clone that is shallow ends somewhere; what cannot be read is no history.
    answers: [0, 128],
    outputBytesMax,
  })
  if (exitCode !== 0) return []
  const read = fromBuffer(stdout)
    .split(marks)
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
  // The head ends at a line end where paths follow, else at a NUL.
  const end = record.search(/[\n\0]/)
  const head = end === -1 ? record : record.slice(0, end)
  const [commit = '', tree = '', parents = '', ...subject] = head.split('\t')
  const paths = end === -1 ? [] : record.slice(end + 1).split('\0')
  return {
    commit,
    tree,
    parents: parents.split(' ').filter((id) => id !== ''),
    subject: show(subject.join('\t')),
    paths: paths.filter((path) => path !== '').map((path) => show(path)),
  }
}
