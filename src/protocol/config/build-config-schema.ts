/** The schemas of `build` and `skills` in `loopwright.yaml`. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { duration, integer, key, keys, list, matching } from '../loop-file/value-schemas.ts'
import { baseRef } from '../loop-file/worktree-schema.ts'
import type { Config } from './config.ts'

export const line = (): ReturnType<typeof matching> =>
  matching(/^[^\p{Cc}]{1,1000}$/u, 'one line of text')
export const flag = (): z.ZodExactOptional<z.ZodBoolean> => z.boolean().exactOptional()

export const build: z.ZodType<NonNullable<Config['build']>> = keys({
  specsDir: key(
    line().exactOptional(),
    'Where specs are, relative to the repository. Default: specs.',
    'specs',
  ),
  plansDir: key(
    line().exactOptional(),
    'Where plans are, relative to the repository. Default: specs/planning.',
    'specs/planning',
  ),
  review: key(flag(), 'False: no agent reviews the work; the checks still decide.'),
  reviewModel: key(
    line().exactOptional(),
    'The model of the reviewer, if the loop file names none.',
    'anthropic/claude-opus-4-5',
  ),
  reviewFailures: key(
    integer(1, 100).exactOptional(),
    'How many failed reviews in a row end a run.',
    3,
  ),
  verificationFailures: key(
    integer(1, 100).exactOptional(),
    'How many failed verifications in a row end a run.',
    3,
  ),
  completionMode: key(
    z.enum(['trailing', 'exact']).exactOptional(),
    'Where the agent writes its completion token: on the last line, or as its whole answer. It is a hint; checks decide.',
  ),
  promptFile: key(
    line().exactOptional(),
    'A file with the prompt, relative to this file. SPEC_PATH and PLAN_PATH in it are replaced.',
    'prompt.txt',
  ),
  contextFiles: key(
    list(line(), 'a list of files', { max: 20 }).exactOptional(),
    'Files of the repository that every prompt contains.',
    ['docs/style.md'],
  ),
  retries: key(
    integer(0, 20).exactOptional(),
    'How often an agent is started again after a temporary fault. Default: 2.',
    2,
  ),
  retryDelay: key(duration().exactOptional(), 'How long to wait before the first retry.', '5s'),
  mergeTarget: key(
    baseRef().exactOptional(),
    'The branch that finished work is merged into. Default: agent/<spec>.',
    'agent/shop',
  ),
  mergeStrategy: key(
    z.enum(['squash', 'merge', 'none']).exactOptional(),
    'One commit, all commits, or no merge.',
  ),
  cleanUp: key(flag(), 'True: the worktree is removed when the work is merged.'),
  measure: key(
    line().exactOptional(),
    'A command that measures the work after each iteration and writes JSON to LOOP_METRICS_OUT.',
    'npm run --silent measure',
  ),
}).transform(({ retryDelay, ...rest }) => ({ ...rest, ...defined({ retryDelayMs: retryDelay }) }))

export const skills: z.ZodType<NonNullable<Config['skills']>> = keys({
  enabled: key(flag(), 'True: build loops use skills.'),
  dirs: key(
    list(line(), 'a list of folders', { max: 20 }).exactOptional(),
    'Where skills are: relative to the repository, absolute, or below ~. The first skill of a name wins.',
    ['.claude/skills', '~/.claude/skills'],
  ),
  builtInDir: key(
    line().exactOptional(),
    'A folder with skills that is searched before the others.',
    '~/skills',
  ),
  syncDir: key(
    line().exactOptional(),
    'A folder that gets a copy of the skills of builtInDir when a run is created.',
    '~/.agent/skills',
  ),
  syncOnStart: key(flag(), 'False: nothing is copied to syncDir.'),
  maxImplementation: key(
    integer(0, 20).exactOptional(),
    'The most skills in a prompt of the maker. Default: 2.',
    2,
  ),
  maxReview: key(
    integer(0, 20).exactOptional(),
    'The most skills in a prompt of the reviewer. Default: 1.',
    1,
  ),
  references: key(flag(), 'True: the files in references/ of a skill are added to it.'),
  maxChars: key(
    integer(100, 200_000).exactOptional(),
    'The most characters of one skill. Default: 20000.',
    20_000,
  ),
})
