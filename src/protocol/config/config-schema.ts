/** The schema of `loopwright.yaml`. The settings themselves are in `setting-rules.ts`. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { toDraft7 } from '../loop-file/draft-7.ts'
import { policyFilesSchema } from '../loop-file/policy-schema.ts'
import { dollars, duration, integer, key, keys, list, text } from '../loop-file/value-schemas.ts'
import { baseRef, branchPrefix } from '../loop-file/worktree-schema.ts'
import { build, flag, line, skills } from './build-config-schema.ts'
import type { Config } from './config.ts'

const daemon = keys({
  use: key(flag(), 'False: loops run in the loopctl process, without a daemon.'),
  address: key(
    line().exactOptional(),
    'The address of the daemon. Default: the daemon of the state folder.',
    'http://127.0.0.1:7700',
  ),
  hostname: key(
    line().exactOptional(),
    'The address that loopd listens on. Default: 127.0.0.1.',
    '::1',
  ),
  port: key(
    integer(0, 65_535).exactOptional(),
    'The port that loopd listens on. Default: 7700, or a free port if that is taken.',
    7700,
  ),
  tlsCert: key(
    line().exactOptional(),
    'A TLS certificate file, needed to listen on other addresses than loopback.',
  ),
  tlsKey: key(line().exactOptional(), 'The private key file of that certificate.'),
  maxConcurrentRuns: key(
    integer(1, 10_000).exactOptional(),
    'How many runs may be active at a time. Default: 3.',
    3,
  ),
  maxRunsPerWorkspace: key(
    integer(1, 10_000).exactOptional(),
    'How many of them may be in one repository. Default: maxConcurrentRuns. Two runs never share a folder.',
    1,
  ),
  queuePolicy: key(
    z.enum(['fifo', 'newest-first', 'priority']).exactOptional(),
    'Which queued run starts next: the oldest, the newest, or the one with the highest priority.',
    'fifo',
  ),
})

const artifacts = keys({
  mode: key(
    z.enum(['workspace', 'global', 'mirror']).exactOptional(),
    'Where run folders are written: to the workspace, to the state folder, or to both (mirror).',
    'mirror',
  ),
  logDir: key(
    line().exactOptional(),
    'The folder for them in the workspace, relative to it. Default: logs/loop.',
    'logs/loop',
  ),
  globalDir: key(
    line().exactOptional(),
    'The folder whose runs/ holds the others. Default: the state folder.',
    '~/.local/share/loopd',
  ),
  postmortem: key(flag(), 'False: no postmortem is written after a run.'),
  summary: key(flag(), 'False: no summary.json is written after a run.'),
})

const naming = keys({
  source: key(
    z.enum(['auto', 'model', 'file', 'words']).exactOptional(),
    'How runs are named: by a model, after the loop file, or with random words. auto: by the model if one is set, else with words.',
    'auto',
  ),
  model: key(line().exactOptional(), 'The model that names runs.', 'anthropic/claude-haiku-4-5'),
})

const limits = keys({
  iterations: key(integer(1, 1_000_000).exactOptional(), 'The most iterations.', 20),
  tokens: key(integer(0, 1_000_000_000_000).exactOptional(), 'The most tokens.', 200_000),
  inputTokens: key(
    integer(0, 1_000_000_000_000).exactOptional(),
    'The most input tokens.',
    150_000,
  ),
  outputTokens: key(
    integer(0, 1_000_000_000_000).exactOptional(),
    'The most output tokens.',
    50_000,
  ),
  cost: key(dollars().exactOptional(), 'The highest cost, in dollars.', 1.5),
  time: key(duration(365).exactOptional(), 'The longest working time.', '2h'),
  iterationTime: key(
    duration(365).exactOptional(),
    'The longest working time of one iteration.',
    '30m',
  ),
  iterationTokens: key(
    integer(0, 1_000_000_000_000).exactOptional(),
    'The most tokens of one iteration.',
    50_000,
  ),
  iterationCost: key(
    dollars().exactOptional(),
    'The highest cost of one iteration, in dollars.',
    0.5,
  ),
  agentTime: key(
    duration(365).exactOptional(),
    'The longest time that an agent may work before it is stopped.',
    '10m',
  ),
}).transform(({ cost, time, iterationTime, iterationCost, agentTime, ...rest }) => ({
  ...rest,
  ...defined({
    agentTimeMs: agentTime,
    costMicros: cost,
    timeMs: time,
    iterationTimeMs: iterationTime,
    iterationCostMicros: iterationCost,
  }),
}))

const worktree = keys({
  base: key(
    baseRef().exactOptional(),
    'The branch, tag or commit that runs start from. Default: the branch that is checked out.',
    'main',
  ),
  path: key(
    text(1000).exactOptional(),
    'A template for the path of worktrees, relative to the main checkout.',
    '../{{ repo }}.{{ run_branch | sanitize }}',
  ),
  branchPrefix: key(
    branchPrefix().exactOptional(),
    'The prefix of branch names. Default: run/.',
    'run/',
  ),
  provider: key(
    z.enum(['auto', 'git', 'worktrunk']).exactOptional(),
    'What creates worktrees. auto: Worktrunk (wt) if it is installed, else git.',
  ),
  worktrunkProgram: key(line().exactOptional(), 'The name or path of the Worktrunk program.', 'wt'),
  worktrunkConfig: key(
    line().exactOptional(),
    'A Worktrunk configuration file to use instead of the default one.',
  ),
  copyIgnored: key(
    flag(),
    'True: copies all ignored files into the worktree, not only the known ones.',
  ),
})

const checks = keys({
  commands: key(
    list(line(), 'a list of commands', { max: 50 }).exactOptional(),
    'Commands that must pass in addition to the checks of the loop file.',
    ['npm test'],
  ),
  timeout: key(duration().exactOptional(), 'The time limit of each command.', '10m'),
}).transform(({ timeout, ...rest }) => ({
  ...rest,
  ...defined({ timeoutMs: timeout }),
}))

export const configSchema: z.ZodType<Config> = exactly<Config>()(
  keys({
    model: key(
      line().exactOptional(),
      'The model for agents whose loop file does not name one.',
      'anthropic/claude-sonnet-5',
    ),
    daemon: key(
      daemon.exactOptional(),
      "The daemon and how to reach it. Only in the user's file, because it serves every project.",
    ),
    artifacts: key(artifacts.exactOptional(), 'The files that runs write, and where.'),
    naming: key(naming.exactOptional(), 'How runs are named.'),
    limits: key(
      limits.exactOptional(),
      'Upper limits for every run, whatever its loop file says. The command line may raise them.',
    ),
    worktree: key(
      worktree.exactOptional(),
      'Defaults for worktrees; the loop file overrides them.',
    ),
    checks: key(checks.exactOptional(), 'Checks that every loop gets.'),
    build: key(build.exactOptional(), 'Defaults for build loops; the loop file overrides them.'),
    skills: key(
      skills.exactOptional(),
      'Instructions for kinds of tasks (SKILL.md files), which build loops put into prompts.',
    ),
    policy: key(
      policyFilesSchema.exactOptional(),
      "Policy files that apply to every run, relative to this file. A project's file adds to those of the user.",
    ),
  }),
)

/** For editors: draft 7, which the YAML language server expects. */
export const configJsonSchema = (): object =>
  toDraft7(configSchema, {
    $id: 'urn:loopwright:schema:config:1',
    title: 'Loopwright configuration',
  })
