/** How `seals` and `certify` of a loop file are written: what must hold before work counts as complete. */

import { z } from 'zod'
import { exactly } from './exactly.ts'
import type { CertifySettings, SealSettings } from './loop-file.ts'
import { agentSchema } from './loop-file-agents.ts'
import {
  duration,
  expects,
  form,
  innerPath,
  key,
  keys,
  list,
  table,
  text,
} from './loop-file-values.ts'
import { dependenciesSchema } from './run-values.ts'

const glob = () =>
  form(
    /^(?!\/|~|!)(?!(?:.*\/)?\.\.(?:\/|$))[ -~\u00a0-\uffff]{1,1000}$/,
    'a glob over paths from the top of the workspace, such as spec/**',
  )

const globs = () => list(glob(), 'a list of globs', { max: 200 }).prefault([])

/** What the agent may change without asking. */
export const scopeSchema = (): z.ZodType<readonly string[], string[]> =>
  list(
    form(
      /^!?(?!\/|~|!)(?!(?:.*\/)?\.\.(?:\/|$))[ -~\u00a0-\uffff]{1,1000}$/,
      'a glob over paths from the top of the workspace, such as src/** or !src/generated/**',
    ),
    'a list of globs',
    { max: 200 },
  )

const dottedKey = () =>
  form(
    /^(?!\.)(?!.*\.\.)[ -~\u00a0-\uffff]{1,200}(?<!\.)$/,
    'a key with dots between its parts, such as scripts.test',
  )

export const sealsSchema: z.ZodType<SealSettings> = exactly<SealSettings>()(
  keys({
    paths: key(
      globs(),
      'What judges the work besides the tests and the configuration that are known to: globs over paths.',
      ['spec/**', 'scripts/check.mjs'],
    ),
    except: key(globs(), 'What does not, though it would be taken for it: globs over paths.', [
      'test/fixtures/**',
    ]),
    keys: key(
      table(
        innerPath('the path of a file in the workspace, such as package.json'),
        list(dottedKey(), 'a list of keys', { min: 1, max: 200 }),
        'files, each with a list of keys',
        100,
      ).prefault({}),
      'Keys of configuration files that judge the work; the rest of such a file may change.',
      { 'package.json': ['scripts.test'] },
    ),
    changes: key(
      z.enum(['ask', 'refuse']).prefault('ask'),
      'What becomes of work that changes them: a person is asked once, with the difference, or it is refused.',
      'refuse',
    ),
  }),
)

const packageName = () =>
  form(/^(?:@[\w.-]+\/)?[\w.-]{1,200}$/, 'the name of a package, such as esbuild or @swc/core')

const consultation = keys({
  name: key(
    form(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'a name: letters, digits, ".", "-" and "_", at most 64',
    ),
    'The name of the consultation, unlike that of any other.',
    'security',
  ),
  agent: key(
    agentSchema.clone(),
    'Who is asked: written as under agent. It may only read.',
    'claude',
  ),
  prompt: key(
    text(100_000),
    'What it is to look at. It is also shown what changed since the run began.',
    'Look for ways to misuse the new endpoint.',
  ),
  timeout: key(duration().prefault('10m'), 'How long it may take. Then a person is asked.', '30m'),
}).transform(({ timeout, ...rest }) => ({ ...rest, timeoutMs: timeout }))

const certifyTable = keys({
  dependencies: key(
    dependenciesSchema.prefault('install'),
    'Where the clean checkout gets its dependencies: installed from the lockfile that the run began with; the same, and without a lockfile resolved once; carried over from the checkout; or none.',
    'carry',
  ),
  installScripts: key(
    list(packageName(), 'a list of names of packages', { max: 100 }).prefault([]),
    'Packages whose install scripts are run, in the sandbox. The scripts of all others are not.',
    ['better-sqlite3'],
  ),
  require: key(
    z.enum(['checks-pass', 'work-alone', 'red-to-green']).prefault('work-alone'),
    'What the evidence must show at least. checks-pass: the checks pass on the result. work-alone: they also pass with the tests and settings of the base. red-to-green: besides, some test failed before the work, passes with it, and was shown able to fail.',
    'red-to-green',
  ),
  quick: key(
    z.boolean().exactOptional(),
    'True: runs the checks on the result, on the base with only the work, and once more as a control; nothing is planted.',
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
    'How long a question about the work waits. Then it is taken as answered with no.',
    '8h',
  ),
})

/** A word, or a table; always a table afterwards. */
export const certifySchema: z.ZodType<CertifySettings> = exactly<CertifySettings>()(
  z
    .union([z.literal('quick', { error: expects('quick, or a table') }), certifyTable])
    .transform((written): CertifySettings => {
      const { deadline, teeth, quick, ...rest } =
        written === 'quick' ? certifyTable.parse({ quick: true }) : written
      return { ...rest, quick: quick ?? teeth === false, deadlineMs: deadline }
    }),
)
