/** A repository on GitHub as a folder, and a program `gh` that reads and writes it. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

export interface StoredComment {
  readonly author: { readonly login: string }
  readonly body: string
  readonly viewerDidAuthor?: boolean
}

interface StoredIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: string
  readonly comments: readonly StoredComment[]
}

interface StoredPullRequest extends StoredIssue {
  readonly headRefName: string
  readonly isDraft: boolean
}

interface StoredRepository {
  readonly issues: readonly StoredIssue[]
  readonly pulls: readonly StoredPullRequest[]
  readonly runs: readonly object[]
  readonly nextNumber: number
  readonly nextComment: number
}

export interface NewIssue {
  readonly title: string
  readonly body?: string
  readonly state?: 'OPEN' | 'CLOSED'
  readonly labels?: readonly string[]
  readonly comments?: readonly string[]
}

export interface NewPullRequest extends Omit<NewIssue, 'state'> {
  readonly state?: 'OPEN' | 'CLOSED' | 'MERGED'
  readonly head: string
  readonly checks?: Readonly<Record<string, 'SUCCESS' | 'FAILURE' | ''>>
}

export interface NewRun {
  readonly title: string
  readonly branch?: string
  readonly conclusion?: 'failure' | 'success'
  readonly log?: string
}

export interface Github {
  /** The folder of its state. */
  readonly folder: string
  /** The folder of the program `gh`. */
  readonly bin: string
  /** The PATH with the program first. */
  readonly path: string
  addIssue(issue: NewIssue): number
  addPullRequest(pull: NewPullRequest): number
  addRun(run: NewRun): number
  logOut(): void
  /** The next call of this command fails: before it does anything, or after it did all. */
  breakNext(command: string, when: 'before' | 'after'): void
  read(): StoredRepository
  /** The arguments of each call. */
  calls(): readonly (readonly string[])[]
}

const program = resolve(import.meta.dirname, 'gh.mjs')
const at = '2026-11-18T09:00:00Z'

/** `folder` must be empty or new. `slug`: the owner and name of the repository. */
export function openGithub(folder: string, slug = 'acme/shop'): Github {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const gh = join(bin, 'gh')
  writeFileSync(gh, `#!/bin/sh\nexec '${process.execPath}' '${program}' '${folder}' "$@"\n`)
  chmodSync(gh, 0o755)
  const file = join(folder, 'state.json')
  const empty = { issues: [], pulls: [], runs: [], nextNumber: 1, nextComment: 1 }
  writeFileSync(file, JSON.stringify({ repositories: { [slug]: empty } }))
  const read = (): StoredRepository => {
    const state = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly repositories: Readonly<Record<string, StoredRepository>>
    }
    return state.repositories[slug] ?? { ...empty }
  }
  const write = (repository: StoredRepository): void =>
    writeFileSync(file, JSON.stringify({ repositories: { [slug]: repository } }))
  let faults = 0
  return {
    folder,
    bin,
    path: [bin, process.env['PATH'] ?? ''].join(delimiter),
    read,
    calls: () =>
      readFileSync(join(folder, 'calls.log'), { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as readonly string[]),
    logOut: () => writeFileSync(join(folder, 'logged-out'), ''),
    breakNext(command, when) {
      writeFileSync(join(folder, `fault-${faults}.json`), JSON.stringify({ command, when }))
      faults += 1
    },
    addIssue(issue) {
      const repository = read()
      const number = repository.nextNumber
      const issues = [...repository.issues, toIssue(issue, `https://github.com/${slug}`, number)]
      write({ ...repository, issues, nextNumber: number + 1 })
      return number
    },
    addPullRequest(pull) {
      const repository = read()
      const number = repository.nextNumber
      const added = toPullRequest(pull, `https://github.com/${slug}`, number)
      write({ ...repository, pulls: [...repository.pulls, added], nextNumber: number + 1 })
      return number
    },
    addRun(run) {
      const repository = read()
      const databaseId = 7_000_000_000 + repository.runs.length
      if (run.log !== undefined) writeFileSync(join(folder, `log-${databaseId}.txt`), run.log)
      const added = toRun(run, `https://github.com/${slug}`, databaseId)
      write({ ...repository, runs: [...repository.runs, added] })
      return databaseId
    },
  }
}

const toIssue = (
  { title, body = '', state = 'OPEN', labels = [], comments = [] }: NewIssue,
  base: string,
  number: number,
) => ({
  number,
  title,
  body,
  state,
  url: `${base}/issues/${number}`,
  author: { id: 'U_2', is_bot: false, login: 'visitor', name: 'A visitor' },
  labels: labels.map((name) => ({ id: `L_${name}`, name, description: '', color: 'd73a4a' })),
  comments: comments.map((text, index) => ({
    id: `IC_0${index}`,
    author: { login: 'visitor' },
    authorAssociation: 'NONE',
    body: text,
    createdAt: at,
    includesCreatedEdit: false,
    isMinimized: false,
    minimizedReason: '',
    reactionGroups: [],
    url: `${base}/issues/${number}#issuecomment-0${index}`,
    viewerDidAuthor: false,
  })),
  createdAt: at,
  updatedAt: at,
})

const toPullRequest = (pull: NewPullRequest, base: string, number: number) => ({
  ...toIssue({ ...pull, state: 'OPEN' }, base, number),
  state: pull.state ?? 'OPEN',
  isDraft: false,
  headRefName: pull.head,
  headRefOid: 'c'.repeat(40),
  baseRefName: 'main',
  reviewDecision: 'REVIEW_REQUIRED',
  mergeable: 'MERGEABLE',
  statusCheckRollup: Object.entries(pull.checks ?? {}).map(toCheck),
})

const toRun = (
  { title, branch = 'main', conclusion = 'failure' }: NewRun,
  base: string,
  databaseId: number,
) => ({
  databaseId,
  attempt: 1,
  conclusion,
  status: 'completed',
  displayTitle: title,
  event: 'push',
  headBranch: branch,
  headSha: 'd'.repeat(40),
  name: 'CI',
  number: databaseId % 1_000_000,
  createdAt: at,
  startedAt: at,
  updatedAt: at,
  url: `${base}/actions/runs/${databaseId}`,
  workflowDatabaseId: 1,
  workflowName: 'CI',
})

const toCheck = ([name, conclusion]: readonly [string, string]) => ({
  __typename: 'CheckRun',
  name,
  workflowName: 'CI',
  status: conclusion === '' ? 'IN_PROGRESS' : 'COMPLETED',
  conclusion,
  startedAt: at,
  completedAt: at,
  detailsUrl: 'https://github.com/acme/shop/actions/runs/1/job/1',
})
