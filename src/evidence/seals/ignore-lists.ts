/**
 * Lists of what tools shall not look at (`.gitignore` and its like). New lines for what is not in the tree
 * (`dist/`) are everyday work; a line that hides a file of the tree from a linter is a change.
 */

import { compileGlob } from './glob.ts'

const linesMax = 2000
const lineCharsMax = 300
const newLinesMax = 200

/** Whether the new list leaves out a file that the old one did not, as far as can be told; in doubt: yes. */
export function ignoresMore(
  listPath: string,
  before: string,
  after: string,
  files: Iterable<string>,
): boolean {
  const was = linesOf(before)
  const is = linesOf(after)
  if (is.length > linesMax) return true
  const isSequence = isWithin(was, is)
  // A line can take back what an earlier one says, so with such lines the order counts.
  if (!isSequence && [...was, ...is].some((line) => line.startsWith('!'))) return true
  const known = new Set(was)
  const fresh = is.filter((line) => !known.has(line) && !line.startsWith('!'))
  if (fresh.length > newLinesMax || fresh.some((line) => line.length > lineCharsMax)) return true
  // Said once more behind a line that takes it back, it counts again.
  if (is.length > was.length && was.some((line) => line.startsWith('!')) && hasRepeat(is))
    return true
  const folder = listPath.slice(0, listPath.lastIndexOf('/') + 1)
  const globs = fresh.flatMap((line) => globsOf(line, folder))
  if (globs.length === 0) return false
  for (const path of files) {
    if (path.startsWith(folder) && globs.some((glob) => glob.test(path))) return true
  }
  return false
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

const hasRepeat = (lines: readonly string[]): boolean => new Set(lines).size < lines.length

function isWithin(fewer: readonly string[], more: readonly string[]): boolean {
  let at = 0
  for (const line of more) if (at < fewer.length && line === fewer[at]) at += 1
  return at === fewer.length
}

/** As git reads a line: with a slash before its end it begins in the list's own folder. */
function globsOf(line: string, folder: string): readonly RegExp[] {
  const bare = line.replace(/\/+$/, '')
  const rooted = bare.includes('/')
  const inside = `${folder}${rooted ? '' : '**/'}${bare.replace(/^\//, '')}`
  const stars = bare.split('*').length
  // Rather one question too many than a pattern that takes for ever.
  if (stars > 8 || /[()+|]/.test(bare)) return [/^/]
  return [compileGlob(`/${inside}`), compileGlob(`/${inside}/**`)]
}
