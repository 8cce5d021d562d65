/** Commits, differences and branches of the repository of a round. */

import { cleanLine, cleanText, sourceCharsMax } from '../../../loops/context/gather.ts'
import type { GatherSource } from '../../../protocol/index.ts'
import type { History } from '../../../workspace/index.ts'
import { day } from './entries.ts'
import type { ReadSource, SourcePorts } from './source.ts'

type Of<Type extends GatherSource['type']> = Extract<GatherSource, { readonly type: Type }>
type Ports = Pick<SourcePorts, 'history' | 'nowMs'>

const filesShownMax = 8
const bodyCharsMax = 400

export async function readCommits(
  { commits: max, sinceMs, after }: Of<'git-log'>,
  { history, nowMs }: Ports,
): Promise<ReadSource> {
  const opened = await history()
  const base = after === undefined ? undefined : await resolve(opened, after)
  const commits = await opened.commits({
    max,
    ...(base === undefined ? {} : { after: base }),
    ...(sinceMs === undefined ? {} : { sinceMs: nowMs - sinceMs }),
  })
  const entries = commits.map(({ commit, message, author, atMs, files }) => {
    const [subject = '', ...rest] = message.split('\n')
    const body = cleanText(rest.join('\n'), bodyCharsMax).text
    const shown = files.slice(0, filesShownMax).map(({ path }) => cleanLine(path, 200))
    const more = files.length - shown.length
    const changed = more > 0 ? [...shown, `and ${more} more`] : shown
    return [
      `${commit.slice(0, 12)} ${day(atMs)} ${cleanLine(author, 100)}: ${cleanLine(subject, 200)}`,
      ...(body === '' ? [] : [indent(body)]),
      ...(changed.length === 0 ? [] : [`  files: ${changed.join(', ')}`]),
    ].join('\n')
  })
  // Not the commits: with `since`, old ones drop out by themselves.
  return { text: entries.join('\n'), facts: [opened.head, base ?? null] }
}

export async function readDiff({ from }: Of<'git-diff'>, { history }: Ports): Promise<ReadSource> {
  const opened = await history()
  const base = await resolve(opened, from)
  const patch = await opened.patchFrom(base, 2 * sourceCharsMax)
  return { text: patch, facts: [opened.head, base] }
}

export async function readBranches(
  { branches: max }: Of<'git-branches'>,
  { history }: Ports,
): Promise<ReadSource> {
  const opened = await history()
  const branches = await opened.branches(max)
  const lines = branches.map(
    ({ name, commit, atMs, subject, isMerged }) =>
      `${cleanLine(name, 200)} ${commit.slice(0, 12)} ${day(atMs)} ${isMerged ? 'merged' : 'not merged'}: ${cleanLine(subject, 120)}`,
  )
  const head = `The commit that is checked out is ${opened.head.slice(0, 12)}. "merged" means: all of it is in that commit.`
  return {
    text: lines.length === 0 ? '' : [head, ...lines].join('\n'),
    facts: [opened.head, branches.map(({ name, commit }) => [name, commit])],
  }
}

async function resolve(history: History, ref: string): Promise<string> {
  const commit = await history.resolve(ref)
  if (commit === undefined) throw new Error(`There is no commit ${JSON.stringify(ref)}.`)
  return commit
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
