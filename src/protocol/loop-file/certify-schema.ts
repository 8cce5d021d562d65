/** The schema of `scope`, `seals` and `certify` in a loop file: what must hold before work is complete. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { dependenciesSchema } from '../run-values.ts'
import { agentSchema } from './agent-schema.ts'
import type { CertifySettings, SealSettings } from './loop-file.ts'
import {
  duration,
  expects,
  innerPath,
  key,
  keys,
  list,
  matching,
  table,
  text,
} from './value-schemas.ts'

const glob = () =>
  matching(
    /^(?!\/|~|!)(?!(?:.*\/)?\.\.(?:\/|$))[ -~\u00a0-\uffff]{1,1000}$/,
    'a glob over paths from the top of the workspace, such as spec/**',
  )

const globs = () => list(glob(), 'a list of globs', { max: 200 }).prefault([])

/** What the agent may change without asking. */
export const scopeSchema = (): z.ZodType<readonly string[], string[]> =>
  list(
    matching(
      /^!?(?!\/|~|!)(?!(?:.*\/)?\.\.(?:\/|$))[ -~\u00a0-\uffff]{1,1000}$/,
      'a glob over paths from the top of the workspace, such as src/** or !src/generated/**',
    ),
    'a list of globs',
    { max: 200 },
  )

const dottedKey = () =>
  matching(
    /^(?!\.)(?!.*\.\.)[ -~\u00a0-\uffff]{1,200}(?<!\.)$/,
    'a dotted key, such as scripts.test',
  )

export const sealsSchema: z.ZodType<SealSettings> = exactly<SealSettings>()(
  keys({
    paths: key(
      globs(),
      'Files that judge the work, in addition to tests and known configuration: globs over paths.',
      ['spec/**', 'scripts/check.mjs'],
    ),
    except: key(
      globs(),
      'Files that do not judge the work although they look like it: globs over paths.',
      ['test/fixtures/**'],
    ),
    keys: key(
      table(
        innerPath('the path of a file in the workspace, such as package.json'),
        list(dottedKey(), 'a list of keys', { min: 1, max: 200 }),
        'files, each with a list of keys',
        100,
      ).prefault({}),
      'Keys of configuration files that judge the work; the rest of these files may change.',
      { 'package.json': ['scripts.test'] },
    ),
    changes: key(
      z.enum(['ask', 'refuse']).prefault('ask'),
      'What happens if the work changes them: ask a person once, showing the diff, or refuse the work.',
      'refuse',
    ),
  }),
)

const packageName = () =>
  matching(/^(?:@[\w.-]+\/)?[\w.-]{1,200}$/, 'a package name, such as esbuild or @swc/core')

const consultation = keys({
  name: key(
    matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'a name: letters, digits, ".", "-" and "_", at most 64',
    ),
    'A unique name for the consultation.',
    'security',
  ),
  agent: key(
    agentSchema.clone(),
    'The agent to consult, written as under agent. It may only read.',
    'claude',
  ),
  prompt: key(
    text(100_000),
    'What it should look at. It also gets the diff since the start of the run.',
    'Look for ways to misuse the new endpoint.',
  ),
  timeout: key(duration().prefault('10m'), 'Its time limit. After that, a person is asked.', '30m'),
}).transform(({ timeout, ...rest }) => ({ ...rest, timeoutMs: timeout }))

const certifyTable = keys({
  dependencies: key(
    dependenciesSchema.prefault('install'),
    'Where the clean checkout gets its dependencies. install: from the lockfile of the base. resolve: likewise, or resolved once if there is no lockfile. carry: copied from the checkout. none: nowhere.',
    'carry',
  ),
  installScripts: key(
    list(packageName(), 'a list of package names', { max: 100 }).prefault([]),
    'Packages whose install scripts may run, in the sandbox. All other install scripts are skipped.',
    ['better-sqlite3'],
  ),
  require: key(
    z.enum(['checks-pass', 'work-alone', 'red-to-green']).prefault('work-alone'),
    'The least that the evidence must show. checks-pass: the checks pass on the result. work-alone: they also pass with the tests and settings of the base. red-to-green: in addition, some test failed before the work, passes with it, and was shown able to fail.',
    'red-to-green',
  ),
  quick: key(
    z.boolean().exactOptional(),
    'True: runs the checks on the result, on the base with only the work, and once as a control; plants no failures.',
    true,
  ),
  teeth: key(z.boolean().exactOptional(), 'Deprecated: use quick. False means quick: true.', false),
  consult: key(
    list(consultation, 'a list of consultations', { max: 10 }).prefault([]),
    'Other agents that must approve before the work is complete.',
    [{ name: 'security', agent: 'claude', prompt: 'Look for ways to misuse it.' }],
  ),
  deadline: key(
    duration(365).prefault('24h'),
    'How long a question about the work waits. After that, the answer is no.',
    '8h',
  ),
})

/** A keyword or a table; always converted to a table. */
export const certifySchema: z.ZodType<CertifySettings> = exactly<CertifySettings>()(
  z
    .union([z.literal('quick', { error: expects('quick, or a table') }), certifyTable])
    .transform((written): CertifySettings => {
      const { deadline, teeth, quick, ...rest } =
        written === 'quick' ? certifyTable.parse({ quick: true }) : written
      return { ...rest, quick: quick ?? teeth === false, deadlineMs: deadline }
    }),
)
