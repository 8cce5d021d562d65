/** The schema of `level`, `gate` and `actions` in a loop file: what it may do outside of its workspace. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { json } from '../values.ts'
import {
  type ActionSettings,
  type AuthoritySettings,
  actionKinds,
  type GateSettings,
} from './action-settings.ts'
import { unknownName } from './issue-problems.ts'
import { oneKey } from './one-key.ts'
import {
  dollars,
  duration,
  environmentName,
  environmentNames,
  expects,
  integer,
  key,
  keys,
  list,
  matching,
  program,
  table,
  text,
  webAddress,
} from './value-schemas.ts'
import { baseRef } from './worktree-schema.ts'

export const levelSchema = (): z.ZodType<AuthoritySettings['level']> =>
  z
    .literal([1, 2, 3, 'earned'], {
      error: expects('1 (report), 2 (assisted), 3 (unattended) or earned'),
    })
    .prefault(2)

const deniedPath = () =>
  matching(
    /^(?!\/|~|!)(?!(?:.*\/)?\.\.(?:\/|$))[ -~\u00a0-\uffff]{1,1000}$/,
    'a glob over paths from the top of the workspace, such as .github/**',
  )

/** All that a run of a loop file can request: another one is misspelled, and its action would always be asked about. */
const allowedKinds = [...actionKinds, 'report', 'edit-artifacts'] as const

const actionKind = () =>
  z.enum(allowedKinds, {
    error: (issue) =>
      typeof issue.input === 'string'
        ? unknownName('kind of action', issue.input, allowedKinds)
        : expects('the kind of an action, such as merge or open-pr')(issue),
  })

const allowList = keys({
  allow: key(
    list(actionKind(), 'a list of kinds of actions', { min: 1, max: 50 }),
    'Kinds of actions that need no person, for certified work at level 3.',
    ['merge', 'notify'],
  ),
  deny: key(
    list(deniedPath(), 'a list of globs', { max: 200 }).prefault([]),
    'Paths: if one of them was changed, a person is asked.',
    ['.github/**'],
  ),
  maxFiles: key(
    integer(0, 1_000_000).prefault(10),
    'If more files were changed, a person is asked.',
    10,
  ),
  maxCost: key(
    dollars().exactOptional(),
    'If the run cost more, in dollars, a person is asked.',
    1.5,
  ),
}).transform(
  ({ maxCost, ...rules }): GateSettings => ({
    type: 'allow-list',
    ...rules,
    ...defined({ maxCostMicros: maxCost }),
  }),
)

export const gateSchema: z.ZodType<GateSettings> = z.union([
  z
    .enum(['always-escalate', 'policy'], {
      error: expects('always-escalate, policy, or a table with the kinds to allow'),
    })
    .transform((type): GateSettings => ({ type })),
  allowList,
])

const line = () => matching(/^[^\p{Cc}]{1,250}$/u, 'one line of text')
const remote = () =>
  key(
    matching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/, 'the name of a remote').prefault('origin'),
    'The remote of the repository.',
    'origin',
  )
const message = (what: string) => key(text(60_000).exactOptional(), what)

const forms = {
  merge: keys({
    into: key(
      baseRef().exactOptional(),
      'The branch to merge into. Default: agent/<loop>.',
      'agent/fix-sum',
    ),
    strategy: key(
      z.enum(['squash', 'merge', 'none']).prefault('squash'),
      'One commit, all commits, or none: do not merge.',
      'squash',
    ),
  }),
  commit: keys({
    branch: key(
      baseRef().exactOptional(),
      'A new branch for one commit with the work. Default: agent/<run>.',
      'agent/fix-sum',
    ),
    message: message('The message of the commit.'),
  }),
  'apply-patch': keys({}),
  'open-pr': keys({
    base: key(baseRef().exactOptional(), 'The branch to merge into.', 'main'),
    remote: remote(),
    title: key(line().exactOptional(), 'The title of the pull request.'),
    body: message('The text of the pull request.'),
    draft: key(z.boolean().prefault(false), 'True: a draft pull request.', true),
  }),
  comment: keys({
    on: key(integer(1, 1_000_000_000), 'The number of an issue or a pull request.', 42),
    remote: remote(),
    text: message('The comment. Default: a summary of the run.'),
  }),
  draft: keys({ text: message('The draft. Default: a summary of the run.') }),
  webhook: keys({
    url: key(
      webAddress(),
      'The address: https, or http on this machine. LOOPWRIGHT_WEBHOOKS must allow it.',
      'https://hooks.example.com/loops',
    ),
    tokenEnv: key(
      environmentName().exactOptional(),
      'The environment variable with the bearer token.',
      'HOOK_TOKEN',
    ),
    idempotent: key(
      z.boolean().prefault(false),
      'True: the receiver ignores a second request with the same Idempotency-Key.',
      true,
    ),
    timeout: key(duration().prefault('30s'), 'How long to wait for the answer.', '10s'),
  }),
  notify: keys({
    by: key(
      z.union([
        z.enum(['desktop', 'terminal'], {
          error: expects('desktop, terminal, or a table with webhook or command'),
        }),
        keys({ webhook: key(webAddress(), 'The address to post to.') }),
        keys({ command: key(program(), 'A command, which gets the text as its input.') }),
      ]),
      'How to notify: desktop, terminal, a webhook or a command.',
      'desktop',
    ),
    text: message('The text. Default: a summary of the run.'),
  }),
  'start-run': keys({
    loop: key(text(4000), 'The loop file to run, relative to this file.', './next.yaml'),
    input: key(
      table(text(64), json, 'input names and values', 200).prefault({}),
      'The input of that run.',
    ),
  }),
  'clean-up': keys({}),
  command: keys({
    run: key(program(), 'The program and its arguments. It runs in the sandbox of the loop.', [
      './deploy.sh',
    ]),
    find: key(
      program().exactOptional(),
      'A command that exits with 0 if the action was done, and with 1 if not.',
      ['./is-deployed.sh'],
    ),
    env: environmentNames('the command'),
    timeout: key(duration().prefault('10m'), 'How long it may take.', '2m'),
  }),
}

type Written = { readonly [Kind in keyof typeof forms]?: z.output<(typeof forms)[Kind]> }

const bare = ['merge', 'commit', 'apply-patch', 'open-pr', 'draft', 'clean-up'] as const

const actionTable = keys(
  Object.fromEntries(
    actionKinds.map((kind) => [kind, key(forms[kind].exactOptional(), descriptions()[kind])]),
  ) as { readonly [Kind in keyof typeof forms]: z.ZodExactOptional<(typeof forms)[Kind]> },
  'action',
).refine((written) => Object.keys(written).length === 1, oneKey('action', 'commit'))

/** A name for an action without settings, or a table with one action. */
export const actionSchema: z.ZodType<ActionSettings> = exactly<ActionSettings>()(
  z.union([
    z
      .enum(bare, { error: expects(`${bare.join(', ')}, or a table with one action`) })
      .transform((kind) => toSettings({ [kind]: forms[kind].parse({}) })),
    actionTable.transform((written) => toSettings(written as Written)),
  ]),
)

export const actionsSchema = (): z.ZodType<readonly ActionSettings[]> =>
  list(actionSchema, 'a list of actions', { max: 20 })

function toSettings(written: Written): ActionSettings {
  const { webhook, notify, command, 'start-run': start } = written
  if (webhook !== undefined) {
    const { timeout, ...rest } = webhook
    return { kind: 'webhook', ...rest, timeoutMs: timeout }
  }
  if (notify !== undefined) {
    const { by, ...rest } = notify
    return { kind: 'notify', ...rest, by: toChannel(by) }
  }
  if (command !== undefined) {
    const { run, timeout, ...rest } = command
    return { kind: 'command', ...rest, command: run, timeoutMs: timeout }
  }
  if (start !== undefined) return { kind: 'start-run', ...start }
  const [[kind, settings] = ['clean-up', {}]] = Object.entries(written)
  return { kind, ...settings } as ActionSettings
}

type Channel = Extract<ActionSettings, { kind: 'notify' }>['by']

function toChannel(by: NonNullable<Written['notify']>['by']): Channel {
  if (typeof by === 'string') return { type: by }
  return 'webhook' in by
    ? { type: 'webhook', url: by.webhook }
    : { type: 'command', command: by.command }
}

function descriptions(): Readonly<Record<ActionSettings['kind'], string>> {
  return {
    merge: 'Merges the work into a branch of the repository. Touches no checkout.',
    commit: 'Puts the work on a new branch as one commit.',
    'apply-patch': 'Applies the changes to the files of the checkout, without a commit.',
    'open-pr': 'Pushes the branch of the run and opens a pull request with gh.',
    comment: 'Comments on an issue or a pull request with gh.',
    draft: 'Writes a text to the drafts in the state folder.',
    webhook: 'Sends a POST request.',
    notify: 'Notifies a person.',
    'start-run': 'Starts a run of another loop file.',
    'clean-up': 'Removes worktrees of ended runs whose work is merged.',
    command: 'Runs a command in the sandbox.',
  }
}
