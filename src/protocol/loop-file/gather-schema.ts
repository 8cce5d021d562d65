/**
 * The schema of `gather` in a loop file: read-only sources whose content the prompt of the maker contains as data.
 * What is read from them is fixed here; nothing that a repository or a service contains chooses it.
 */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { oneKey } from './one-key.ts'
import {
  duration,
  expects,
  innerPath,
  integer,
  key,
  keys,
  list,
  matching,
} from './value-schemas.ts'
import { baseRef } from './worktree-schema.ts'

/** One source, as the program uses it. */
export type GatherSource =
  | {
      readonly type: 'git-log'
      readonly commits: number
      /** Only commits of this last period. */
      readonly sinceMs?: number
      /** Only commits that this ref, such as the last release tag, does not have. */
      readonly after?: string
    }
  /** What the files differ in from a ref. */
  | { readonly type: 'git-diff'; readonly from: string }
  | { readonly type: 'git-branches'; readonly branches: number }
  | ListSource<'issues', IssueState>
  | ListSource<'pull-requests', PullRequestState>
  | CiRunsSource
  /** Dependencies with newer versions, by the package manager of the project. */
  | { readonly type: 'outdated' }
  | { readonly type: 'file'; readonly path: string }

type IssueState = 'open' | 'closed' | 'all'
type PullRequestState = IssueState | 'merged'

interface ListSource<Type extends string, State extends string> {
  readonly type: Type
  readonly state: State
  readonly limit: number
  readonly label?: string
  readonly remote: string
}

export interface CiRunsSource {
  readonly type: 'ci-runs'
  readonly only: 'failed' | 'all'
  readonly limit: number
  /** Of how many failed runs the log is read. */
  readonly logs: number
  readonly branch?: string
  readonly remote: string
}

const remote = () =>
  key(
    matching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/, 'the name of a remote').prefault('origin'),
    'The remote whose repository is asked.',
    'origin',
  )

const label = () =>
  key(
    matching(/^[^\p{Cc},-][^\p{Cc},]{0,99}$/u, 'a label, without commas').exactOptional(),
    'Only those with this label.',
    'bug',
  )

const limit = (count: number) =>
  key(integer(1, 100).prefault(count), 'How many, the newest first.', count)

const forms = {
  'git-log': keys({
    commits: key(integer(1, 500).prefault(50), 'How many commits, the newest first.', 50),
    since: key(duration(365).exactOptional(), 'Only commits of this last period.', '1d'),
    after: key(baseRef().exactOptional(), 'Only commits that this ref does not have.', 'v1.2.0'),
  }),
  'git-diff': keys({
    from: key(baseRef(), 'The branch, tag or commit to compare with.', 'main'),
  }),
  'git-branches': keys({
    branches: key(integer(1, 500).prefault(100), 'How many branches.', 100),
  }),
  issues: keys({
    state: key(z.enum(['open', 'closed', 'all']).prefault('open'), 'Which issues.', 'open'),
    limit: limit(30),
    label: label(),
    remote: remote(),
  }),
  'pull-requests': keys({
    state: key(
      z.enum(['open', 'merged', 'closed', 'all']).prefault('open'),
      'Which pull requests.',
      'open',
    ),
    limit: limit(20),
    label: label(),
    remote: remote(),
  }),
  'ci-runs': keys({
    only: key(z.enum(['failed', 'all']).prefault('failed'), 'Which runs of CI.', 'failed'),
    limit: limit(10),
    logs: key(integer(0, 10).prefault(3), 'Of how many failed runs the log is read.', 3),
    branch: key(baseRef().exactOptional(), 'Only runs on this branch.', 'main'),
    remote: remote(),
  }),
  outdated: keys({}),
  file: innerPath('the path of a file, from the root of the workspace'),
}

const bare = ['git-log', 'git-branches', 'issues', 'pull-requests', 'ci-runs', 'outdated'] as const

const described = {
  'git-log': key(forms['git-log'].exactOptional(), 'The newest commits.'),
  'git-diff': key(forms['git-diff'].exactOptional(), 'What the files differ in from a ref.'),
  'git-branches': key(
    forms['git-branches'].exactOptional(),
    'The branches, with their last commit.',
  ),
  issues: key(forms.issues.exactOptional(), 'Issues, read with gh.'),
  'pull-requests': key(
    forms['pull-requests'].exactOptional(),
    'Pull requests with their checks and comments, read with gh.',
  ),
  'ci-runs': key(
    forms['ci-runs'].exactOptional(),
    'Runs of CI and logs of failed ones, read with gh.',
  ),
  outdated: key(forms.outdated.exactOptional(), 'Dependencies with newer versions.'),
  file: key(forms.file.exactOptional(), 'A text file of the workspace.', 'CHANGELOG.md'),
}

type Written = { readonly [Type in keyof typeof forms]?: z.output<(typeof forms)[Type]> }

const sourceTable = keys(described, 'source').refine(
  (written) => Object.keys(written).length === 1,
  oneKey('source', 'git-log'),
)

const sourceSchema: z.ZodType<GatherSource> = exactly<GatherSource>()(
  z.union([
    z
      .enum(bare, { error: expects(`${bare.join(', ')}, or a table with one source`) })
      .transform((type) => toSource({ [type]: forms[type].parse({}) })),
    sourceTable.transform((written) => toSource(written as Written)),
  ]),
)

/** The schema of a key that lists sources. */
export const gatherSchema = (): z.ZodType<readonly GatherSource[]> =>
  list(sourceSchema, 'a list of sources', { max: 20 })

function toSource(written: Written): GatherSource {
  const { file, 'git-log': log } = written
  if (file !== undefined) return { type: 'file', path: file }
  if (log !== undefined) {
    const { commits, since, after } = log
    return { type: 'git-log', commits, ...defined({ sinceMs: since, after }) }
  }
  const [[type, settings] = ['outdated', {}]] = Object.entries(written)
  return { type, ...(settings as object) } as GatherSource
}
