/** Issues and pull requests, with their newest comments. */

import { z } from 'zod'
import type { Signal } from '../../../loop/index.ts'
import { cleanLine, cleanText } from '../../../loops/context/gather.ts'
import type { GatherSource } from '../../../protocol/index.ts'
import { day, joinEntries } from './entries.ts'
import type { ReadSource, SourcePorts } from './source.ts'

type Of<Type extends GatherSource['type']> = Extract<GatherSource, { readonly type: Type }>

const bodyCharsMax = 2000
const commentCharsMax = 600
const commentsShownMax = 6
const checksShownMax = 30

const author = z.object({ login: z.string() }).nullish()
const time = z.iso.datetime({ offset: true })

const commentSchema = z.object({
  author,
  body: z.string(),
  createdAt: time,
  viewerDidAuthor: z.boolean().optional(),
})

const common = {
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  author,
  labels: z.array(z.object({ name: z.string() })).nullish(),
  createdAt: time,
  updatedAt: time,
  comments: z.array(commentSchema).nullish(),
}

const issueSchema = z.object(common)

const checkSchema = z.object({
  name: z.string().nullish(),
  context: z.string().nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  state: z.string().nullish(),
})

const pullRequestSchema = z.object({
  ...common,
  isDraft: z.boolean(),
  headRefName: z.string(),
  headRefOid: z.string(),
  baseRefName: z.string(),
  reviewDecision: z.string().nullish(),
  mergeable: z.string().nullish(),
  statusCheckRollup: z.array(checkSchema).nullish(),
})

type Issue = z.output<typeof issueSchema>
type PullRequest = z.output<typeof pullRequestSchema>
type Comment = z.output<typeof commentSchema>

export async function readIssues(
  source: Of<'issues'>,
  { github }: Pick<SourcePorts, 'github'>,
  signal: Signal,
): Promise<ReadSource> {
  const fields = Object.keys(common)
  const schema = z.array(issueSchema)
  const issues = await github.json(source.remote, listArgs('issue', source, fields), schema, signal)
  const entries = issues.slice(0, source.limit).map((issue) => ({
    number: issue.number,
    text: [titleOf(issue, []), ...textOf(issue)].join('\n'),
  }))
  return { ...joinEntries(entries), facts: issues.map(factsOf) }
}

export async function readPullRequests(
  source: Of<'pull-requests'>,
  { github }: Pick<SourcePorts, 'github'>,
  signal: Signal,
): Promise<ReadSource> {
  const fields = Object.keys(pullRequestSchema.shape)
  const schema = z.array(pullRequestSchema)
  const pulls = await github.json(source.remote, listArgs('pr', source, fields), schema, signal)
  const entries = pulls.slice(0, source.limit).map((pull) => ({
    number: pull.number,
    text: describePullRequest(pull),
  }))
  return {
    ...joinEntries(entries),
    facts: pulls.map((pull) => [
      ...factsOf(pull),
      pull.headRefOid,
      pull.isDraft,
      pull.reviewDecision ?? '',
      checksOf(pull),
    ]),
  }
}

const listArgs = (
  kind: 'issue' | 'pr',
  { state, limit, label }: Of<'issues'> | Of<'pull-requests'>,
  fields: readonly string[],
): readonly string[] => [
  kind,
  'list',
  `--state=${state}`,
  `--limit=${limit}`,
  ...(label === undefined ? [] : [`--label=${label}`]),
  `--json=${fields.join(',')}`,
]

function describePullRequest(pull: PullRequest): string {
  const { headRefName, baseRefName, isDraft, reviewDecision, mergeable } = pull
  const facts = [
    ...(isDraft ? ['draft'] : []),
    ...(reviewDecision === undefined || reviewDecision === null || reviewDecision === ''
      ? []
      : [`review: ${cleanLine(reviewDecision, 40).toLowerCase()}`]),
    ...(mergeable === 'CONFLICTING' ? ['conflicts with its base'] : []),
  ]
  const checks = checksOf(pull)
    .slice(0, checksShownMax)
    .map(([name, result]) => `${name} ${result}`)
  return [
    titleOf(pull, facts),
    `branch: ${cleanLine(headRefName, 200)} into ${cleanLine(baseRefName, 200)}`,
    `checks: ${checks.length === 0 ? 'none' : checks.join(', ')}`,
    ...textOf(pull),
  ].join('\n')
}

/** With its result in lower case: `success`, `failure`, `in_progress`. */
const checksOf = ({ statusCheckRollup }: PullRequest): readonly (readonly [string, string])[] =>
  (statusCheckRollup ?? []).map(({ name, context, status, conclusion, state }) => {
    const result = [conclusion, state, status].find((one) => typeof one === 'string' && one !== '')
    return [
      cleanLine(name ?? context ?? 'unnamed', 100),
      cleanLine(result ?? 'unknown', 40).toLowerCase(),
    ]
  })

function titleOf(one: Issue, facts: readonly string[]): string {
  const labels = (one.labels ?? []).slice(0, 20).map(({ name }) => cleanLine(name, 60))
  const known = [
    cleanLine(one.state, 20).toLowerCase(),
    `by ${cleanLine(one.author?.login ?? 'unknown', 60)}`,
    `opened ${day(Date.parse(one.createdAt))}`,
    `updated ${day(Date.parse(one.updatedAt))}`,
    ...(labels.length === 0 ? [] : [`labels: ${labels.join(', ')}`]),
    ...facts,
  ]
  return `#${one.number} ${cleanLine(one.title, 250)} (${known.join('; ')})`
}

function textOf({ body, comments }: Issue): readonly string[] {
  const all = comments ?? []
  const shown = all.slice(-commentsShownMax)
  const left = all.length - shown.length
  const described = cut(body ?? '', bodyCharsMax)
  return [
    ...(described === '' ? [] : [described]),
    ...(left > 0 ? [`(${left} earlier comments are left out)`] : []),
    ...shown.map(
      (comment) =>
        `comment by ${cleanLine(comment.author?.login ?? 'unknown', 60)}, ${day(Date.parse(comment.createdAt))}: ${cut(comment.body, commentCharsMax)}`,
    ),
  ]
}

function cut(given: string, charsMax: number): string {
  const { text, isCut } = cleanText(given, charsMax)
  return isCut ? `${text} (cut)` : text
}

const factsOf = ({ number, title, body, state, labels, comments }: Issue): readonly unknown[] => [
  number,
  title,
  body ?? '',
  state,
  (labels ?? []).map(({ name }) => name).toSorted(),
  (comments ?? [])
    .filter((comment) => !isOurs(comment))
    .map((comment) => [comment.author?.login ?? '', comment.body]),
]

/** What a round commented itself is nothing new. Others can write the mark, but not as this user. */
const isOurs = ({ viewerDidAuthor, body }: Comment): boolean =>
  viewerDidAuthor === true && body.includes('<!-- loopwright-action: ')
