/** How `loopwright.yaml` is written. The settings themselves are in the table of `config-rules.ts`. */

import { z } from 'zod'
import { defined } from '../loop/index.ts'
import type { Config } from './config.ts'
import { exactly } from './exactly.ts'
import { dollars, duration, form, key, keys, list, text, told, whole } from './loop-file-values.ts'
import { baseRef, branchBeginning } from './loop-file-worktree.ts'

const line = () => form(/^[^\p{Cc}]{1,1000}$/u, 'one line of text')
const flag = () => z.boolean().exactOptional()

const daemon = keys({
  use: key(flag(), 'False: loops run in the process of loopctl, without a daemon.'),
  address: key(
    line().exactOptional(),
    'Where loopctl finds the daemon, if it is not the one of the state folder.',
    'http://127.0.0.1:7700',
  ),
  hostname: key(line().exactOptional(), 'Where loopd listens; 127.0.0.1 unless told.', '::1'),
  port: key(
    whole(0, 65_535).exactOptional(),
    'The port of loopd; 7700 unless told, or a free one where something else has that.',
    7700,
  ),
  tlsCert: key(line().exactOptional(), 'A file with the certificate, to listen elsewhere.'),
  tlsKey: key(line().exactOptional(), 'A file with its key.'),
  maxConcurrentRuns: key(
    whole(1, 10_000).exactOptional(),
    'How many runs are at work at a time; 3 unless told.',
    3,
  ),
  maxRunsPerWorkspace: key(
    whole(1, 10_000).exactOptional(),
    'How many of them in one repository (default: maxConcurrentRuns). Two runs never share a folder.',
    1,
  ),
  queuePolicy: key(
    z.enum(['fifo', 'newest-first', 'priority']).exactOptional(),
    'Which run is next: the oldest, the newest, or by priority.',
    'fifo',
  ),
})

const artifacts = keys({
  mode: key(
    z.enum(['workspace', 'global', 'mirror']).exactOptional(),
    'Where run folders are made: in the workspace, in the state folder, or in both (mirror).',
    'mirror',
  ),
  logDir: key(
    line().exactOptional(),
    'The folder of those in the workspace, relative to it; logs/loop unless told.',
    'logs/loop',
  ),
  globalDir: key(
    line().exactOptional(),
    'The others are in runs/ below this folder; the state folder unless told.',
    '~/.local/share/loopd',
  ),
  postmortem: key(flag(), 'False: no postmortem is made after a run.'),
})

const naming = keys({
  source: key(
    z.enum(['auto', 'model', 'file', 'words']).exactOptional(),
    'How runs get their names: from a model, after the loop file, or made of words. auto: from the model where one is set.',
    'auto',
  ),
  model: key(line().exactOptional(), 'The model that names runs.', 'anthropic/claude-haiku-4-5'),
})

const limits = keys({
  iterations: key(whole(1, 1_000_000).exactOptional(), 'At most so many iterations.', 20),
  tokens: key(whole(0, 1_000_000_000_000).exactOptional(), 'At most so many tokens.', 200_000),
  cost: key(dollars().exactOptional(), 'At most so many dollars.', 1.5),
  time: key(duration(365).exactOptional(), 'At most so much time at work.', '2h'),
}).transform(({ cost, time, ...rest }) => ({
  ...rest,
  ...defined({ costMicros: cost, timeMs: time }),
}))

const worktree = keys({
  base: key(
    baseRef().exactOptional(),
    'What runs start from; the branch that is checked out unless told.',
    'main',
  ),
  path: key(
    text(1000).exactOptional(),
    'Where worktrees go, from the main checkout.',
    '../{{ repo }}.{{ run_branch | sanitize }}',
  ),
  branchPrefix: key(
    branchBeginning().exactOptional(),
    'What branches begin with; run/ unless told.',
    'run/',
  ),
  provider: key(
    z.enum(['auto', 'git', 'worktrunk']).exactOptional(),
    'Who makes worktrees. auto: Worktrunk (wt) where it is installed, else git.',
  ),
  worktrunkProgram: key(line().exactOptional(), 'Worktrunk by another name or path.', 'wt'),
  worktrunkConfig: key(line().exactOptional(), 'Its configuration, in place of your own.'),
  copyIgnored: key(flag(), 'True: all that git ignores is brought along, not only what is known.'),
})

const checks = keys({
  commands: key(
    list(line(), 'a list of commands', { max: 50 }).exactOptional(),
    'Commands that must pass besides the checks of the loop file.',
    ['npm test'],
  ),
  timeout: key(duration().exactOptional(), 'How long each may take.', '10m'),
}).transform(({ timeout, ...rest }) => ({
  ...rest,
  ...defined({ timeoutMs: timeout }),
}))

export const configSchema: z.ZodType<Config> = exactly<Config>()(
  keys({
    model: key(
      line().exactOptional(),
      'The model of agents whose loop file names none.',
      'anthropic/claude-sonnet-5',
    ),
    daemon: key(
      daemon.exactOptional(),
      "The daemon and the way to it. Only in the user's file: it serves every project.",
    ),
    artifacts: key(artifacts.exactOptional(), 'What runs leave on disk, and where.'),
    naming: key(naming.exactOptional(), 'The names of runs.'),
    limits: key(
      limits.exactOptional(),
      'The most that a run may use, whatever its loop file says. The command line may say more.',
    ),
    worktree: key(worktree.exactOptional(), 'Worktrees, where the loop file says nothing.'),
    checks: key(checks.exactOptional(), 'Checks of every loop.'),
  }),
)

/** For editors: draft 7, as the YAML language server wants it. */
export function configJsonSchema(): object {
  const { $schema, ...shape } = z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    metadata: told,
    override: ({ zodSchema, jsonSchema }) => {
      const examples = told.get(zodSchema)?.examples
      if (examples !== undefined) jsonSchema.examples = [...examples]
    },
  })
  const head = { $id: 'urn:loopwright:schema:config:1', title: 'Loopwright configuration' }
  return { $schema, ...head, ...shape }
}
