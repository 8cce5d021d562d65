/** The schemas of the keys `skills`, `measure` and `retry` of a build loop. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { duration, integer, key, keys, list, text } from '../../protocol/index.ts'
import type { MeasureSettings } from '../context/measure.ts'
import { type SkillSettings, skillDirs } from '../context/skills.ts'

export type SkillKeys = false | SkillSettings

const skillKeys = keys({
  dirs: key(
    list(text(1000), 'a list of folders', { min: 1, max: 20 }).prefault([...skillDirs]),
    'Where skills are: from the root of the workspace, absolute, or below ~. The first skill of a name counts.',
    ['.claude/skills', '~/.claude/skills'],
  ),
  maker: key(integer(0, 20).prefault(2), 'The most skills in a prompt of the maker.'),
  reviewer: key(integer(0, 20).prefault(1), 'The most skills in a prompt of the reviewer.'),
  chars: key(integer(100, 200_000).prefault(20_000), 'The most characters of one skill.'),
  references: key(
    z.boolean().prefault(false),
    'True: the files in references/ of a skill are added to it.',
  ),
}).transform(({ chars, ...rest }): SkillSettings => ({ ...rest, charsMax: chars }))

export const skillsSchema: z.ZodType<SkillKeys> = z.union([
  z.literal(false),
  z.literal(true).transform((): SkillKeys => skillKeys.parse({})),
  skillKeys,
])

const measureTimeout = '10m'

const measureKeys = keys({
  command: key(text(4000), 'The command, which a shell runs.', 'npm run --silent measure'),
  timeout: key(duration().prefault(measureTimeout), 'How long it may take.', measureTimeout),
}).transform(({ command, timeout }): MeasureSettings => ({ command, timeoutMs: timeout }))

export const measureSchema: z.ZodType<MeasureSettings> = z.union([
  text(4000).transform((command): MeasureSettings => measureKeys.parse({ command })),
  measureKeys,
])

/** How often an agent is started again. */
export interface RetryKeys {
  readonly times: number
  readonly delayMs?: number
}

export const retrySchema: z.ZodType<RetryKeys> = keys({
  times: key(integer(0, 20).prefault(2), 'How often. 0: never.'),
  delay: key(duration().exactOptional(), 'The wait before the first retry; it doubles.', '5s'),
}).transform(({ times, delay }) => ({ times, ...defined({ delayMs: delay }) }))
