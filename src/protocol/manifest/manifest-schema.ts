/** The written form of a manifest: strict, with a message for its author for each wrong value. */

import { z } from 'zod'
import { toDraft7 } from '../loop-file/draft-7.ts'
import {
  dollars,
  duration,
  integer,
  key,
  keys,
  list,
  matching,
  share,
  table,
  text,
} from '../loop-file/value-schemas.ts'
import { distinct, filePath, knob } from './knob-schema.ts'
import type { Manifest, SplitSettings } from './manifest.ts'

const pathsMax = 200
const commandCharsMax = 10_000

const filePaths = (min = 0) =>
  list(filePath(), 'a list of paths, from the folder of the manifest', { min, max: pathsMax })

/** The same rule as for paths: nothing outside of the workspace is ever read. */
const glob = () =>
  matching(
    /^(?![!/~])(?!(?:.*\/)?\.\.(?:\/|$))[ -[\]-~\u00a0-\uffff]{1,500}$/,
    'a path or glob inside the workspace, such as cases/*.txt',
  ).refine((written) => (written.match(/\*/g)?.length ?? 0) <= 8 && !/[()]/.test(written), {
    error: 'the glob is too complex: use at most 8 times * and no parentheses',
  })

const globs = (min = 0) =>
  list(glob(), 'a list of paths or globs, from the folder of the manifest', { min, max: pathsMax })

const command = (...needed: readonly string[]) =>
  text(commandCharsMax)
    .refine((written) => !written.includes('\0'), { error: 'it contains a NUL: remove it' })
    .refine((written) => needed.every((name) => written.includes(`{${name}}`)), {
      error: `it does not contain ${needed.map((name) => `{${name}}`).join(' or ')}: the command has to know its file`,
    })

const outputPath = () =>
  matching(
    /^(?![/~])(?!(?:.*\/)?\.\.(?:\/|$))[ -[\]-~\u00a0-\uffff]{1,500}$/,
    'the path of a file inside the workspace, such as out/{name}.json',
  )

const timeout = (written: string, what: string) => key(duration().prefault(written), what)

const split = keys({
  holdout: key(
    share(0, 0.5).exactOptional(),
    'The share of the cases that is sealed until the end, 0 to 0.5. Default: 0.3 with 67 cases or more, else 0.',
    0.3,
  ),
  seed: key(
    text(200).exactOptional(),
    'Decides which cases are sealed. Default: derived from the names of the cases.',
    'a',
  ),
  focus: key(globs().prefault([]), 'Cases that reports show first: 3 to 5.', ['cases/hard-1.txt']),
  guards: key(globs().prefault([]), 'Cases that pass and must stay so: 2 or 3.', [
    'cases/plain-1.txt',
  ]),
  exclude: key(
    list(
      keys({
        cases: key(glob(), 'A path or glob.', 'cases/broken.txt'),
        reason: key(text(500), 'Why they are left out.', 'the scan is unreadable'),
      }),
      'a list of cases and reasons',
      { max: pathsMax },
    ).prefault([]),
    'Cases that are left out, each with the reason.',
    [{ cases: 'cases/broken.txt', reason: 'the scan is unreadable' }],
  ),
}).transform(
  ({ holdout, seed, ...rest }): SplitSettings => ({
    ...(holdout === undefined ? {} : { holdout }),
    ...(seed === undefined ? {} : { seed }),
    ...rest,
  }),
)

const promptFile = (fallback: string, what: string) => key(filePath().prefault(fallback), what)

const agents = keys({
  composer: key(
    keys({
      promptFile: promptFile('COMPOSER_PROMPT.md', 'The file with the instructions.'),
    }).prefault({}),
    'The agent that proposes changes.',
  ),
  reviewer: key(
    keys({
      promptFile: promptFile('REVIEWER_PROMPT.md', 'The file with the instructions.'),
    }).exactOptional(),
    'An agent whose critiques are merged with those of the commands.',
  ),
})

const repeats = (what: string) => key(integer(2, 20).exactOptional(), what, 3)

const shape = keys({
  $schema: key(text(500).exactOptional(), 'The schema, for editors.'),
  workloadId: key(text(200), 'What the workload is called.', 'invoice-fields'),
  artifactPaths: key(
    filePaths(1).refine(distinct, { error: 'a path is listed twice: remove one' }),
    'The files that the loop may change, such as prompts and schemas.',
    ['prompt.md'],
  ),
  casePaths: key(globs(1), 'The input files: paths or globs. Each file is a case.', [
    'cases/*.txt',
  ]),
  expectedPaths: key(
    globs().exactOptional(),
    'The expected outputs: globs, matched to cases by their name up to the first dot, or paths with {name}.',
    ['expected/{name}.json'],
  ),
  runCommand: key(
    command('case'),
    'Runs the workload on one case. {case}, {name} and {output} are the case, its name without extension, and where to write.',
    'node extract.mjs {case} {output}',
  ),
  outputPath: key(
    outputPath(),
    'Where the workload writes the output of a case.',
    'out/{name}.json',
  ),
  evaluateCommand: key(
    command().exactOptional(),
    'Judges one output, and prints JSON with "pass" or "score" (0 to 1). {output}, {expected} and {case} are files.',
    'node score.mjs {output} {expected}',
  ),
  reviewCommand: key(
    command().exactOptional(),
    'Judges it in another way; both critiques are merged.',
    'node review.mjs {output}',
  ),
  agents: key(agents.prefault({}), 'The agents of the loop.'),
  domainDocs: key(filePaths().prefault([]), 'Documents that the composer reads.', [
    'docs/invoices.md',
  ]),
  maxIterations: key(integer(1, 1000).prefault(10), 'How many changes are tried.', 10),
  buildCommand: key(
    command().exactOptional(),
    'Runs before the cases of each candidate; what it writes is there for each of them.',
    'npm run build',
  ),
  cacheStrategy: key(
    z.enum(['smart', 'force']).prefault('smart'),
    'smart: a result for the same content is reused. force: every command runs.',
    'smart',
  ),
  repeats: key(
    keys({
      baseline: repeats(
        'How often each case runs before anything changes. Default: 2 to 5, by the number of cases.',
      ),
      proof: repeats('How often each case runs on both sides of the proof. Default: 3.'),
    }).prefault({}),
    'How often cases run.',
  ),
  split: key(split.prefault({}), 'Which cases are for what.'),
  timeouts: key(
    keys({
      run: timeout('60s', 'Of runCommand, for one case.'),
      evaluate: timeout('60s', 'Of evaluateCommand and of reviewCommand, for one case.'),
      build: timeout('10m', 'Of buildCommand.'),
    }).prefault({}),
    'How long commands may take.',
    { run: '60s' },
  ),
  concurrency: key(
    integer(1, 64).exactOptional(),
    'How many commands run at the same time. Default: the number of processors.',
    2,
  ),
  costPerCase: key(
    dollars().prefault(0),
    'Dollars that one run of one case costs, if it does not use the gateway.',
    0.002,
  ),
  knobs: key(
    table(
      matching(/^[A-Za-z][\w-]{0,63}$/, 'a name of letters, digits, - and _'),
      knob,
      'knobs by name',
      100,
    ).prefault({}),
    'What the search composer may change.',
    { tone: { type: 'choice', text: 'Tone: {value}', values: ['formal', 'plain'] } },
  ),
  tags: key(
    list(matching(/^#[a-z][a-z0-9-]{0,63}$/, 'a tag, such as #needs-loop'), 'a list of tags', {
      max: 20,
    }).prefault([]),
    'Tags of the workload.',
    ['#needs-loop'],
  ),
})

export const manifestSchema: z.ZodType<Manifest> = shape
  .superRefine((manifest, context) => {
    for (const { path, message } of findMisfits(manifest)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
  .transform(
    ({ $schema: _schema, timeouts, costPerCase, ...rest }): Manifest => ({
      ...rest,
      timeouts: { runMs: timeouts.run, evaluateMs: timeouts.evaluate, buildMs: timeouts.build },
      costPerCaseMicros: costPerCase,
    }),
  )

/** Referenced by a manifest as `$schema`, so that editors complete and check it. */
export const manifestJsonSchema = (): object =>
  toDraft7(shape, {
    $id: 'urn:loopwright:schema:manifest:1',
    title: 'Manifest of a workload',
  })

interface Misfit {
  readonly path: readonly string[]
  readonly message: string
}

type Checked = Pick<
  Manifest,
  'artifactPaths' | 'evaluateCommand' | 'reviewCommand' | 'expectedPaths' | 'agents' | 'knobs'
>

function findMisfits({
  artifactPaths,
  evaluateCommand,
  reviewCommand,
  expectedPaths,
  agents: { reviewer },
  knobs,
}: Checked): readonly Misfit[] {
  const found: Misfit[] = []
  const judges = [evaluateCommand, reviewCommand, reviewer, expectedPaths]
  if (judges.every((judge) => judge === undefined)) {
    found.push({
      path: ['evaluateCommand'],
      message:
        'nothing judges the outputs: add evaluateCommand, reviewCommand, agents.reviewer or expectedPaths',
    })
  }
  const judging = Object.entries({ evaluateCommand, reviewCommand })
  for (const [name, written = ''] of judging) {
    if (!written.includes('{expected}') || expectedPaths !== undefined) continue
    found.push({ path: [name], message: 'it uses {expected}, but there is no expectedPaths' })
  }
  for (const [name, { file }] of Object.entries(knobs)) {
    if (file === undefined ? artifactPaths.length === 1 : artifactPaths.includes(file)) continue
    const message = `it needs file: one of ${artifactPaths.join(', ')}`
    found.push({ path: ['knobs', name, 'file'], message })
  }
  return found
}
