/** Runs of CI, with the ends of the logs of failed ones. */

import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import { type Signal, textOf } from '../../../loop/index.ts'
import { cleanLine, cleanText } from '../../../loops/context/gather.ts'
import type { CiRunsSource } from '../../../protocol/loop-file/gather-schema.ts'
import { day } from './entries.ts'
import type { ReadSource, SourcePorts } from './source.ts'

const logCharsMax = 5000

const runSchema = z.object({
  databaseId: z.int().positive(),
  workflowName: z.string(),
  displayTitle: z.string(),
  headBranch: z.string().nullable(),
  headSha: z.string(),
  event: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  createdAt: z.iso.datetime({ offset: true }),
  /** Of its last attempt. */
  startedAt: z.iso.datetime({ offset: true }).nullish(),
})

type CiRun = z.output<typeof runSchema>

export async function readCiRuns(
  { only, limit, logs, branch, remote }: CiRunsSource,
  { github }: Pick<SourcePorts, 'github'>,
  signal: Signal,
): Promise<ReadSource> {
  const args = [
    'run',
    'list',
    `--limit=${limit}`,
    ...(only === 'failed' ? ['--status=failure'] : []),
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
    `--json=${Object.keys(runSchema.shape).join(',')}`,
  ]
  const listed = await github.json(remote, args, z.array(runSchema), signal)
  const runs = listed.slice(0, limit)
  const texts = runs.map(describeRun)
  const failed = runs.filter(({ conclusion }) => conclusion === 'failure').slice(0, logs)
  for (const run of failed) {
    const view = ['run', 'view', `${run.databaseId}`, '--log-failed']
    const log = await github.text(remote, view, signal).then(
      (text) => ({ title: 'the end of the log of its failed steps', text: logEnd(text) }),
      (error: unknown) => ({
        title: 'its log could not be read',
        text: cleanLine(textOf(error), 300),
      }),
    )
    signal.throwIfAborted()
    texts.push(`run ${run.databaseId}, ${log.title}:\n${log.text}`)
  }
  return {
    text: texts.join('\n\n'),
    facts: runs.map(({ databaseId, status, conclusion, startedAt, headSha }) => [
      databaseId,
      status,
      conclusion ?? '',
      startedAt ?? '',
      headSha,
    ]),
  }
}

function describeRun(run: CiRun): string {
  const { databaseId, conclusion, status, workflowName, displayTitle, headBranch, event } = run
  const result = cleanLine(conclusion === '' ? status : (conclusion ?? status), 40)
  const at = `${cleanLine(headBranch ?? 'no branch', 200)} at ${cleanLine(run.headSha, 12)}`
  return `run ${databaseId} ${result}: ${cleanLine(workflowName, 100)}, ${cleanLine(displayTitle, 200)} (${at}; ${cleanLine(event, 40)}; ${day(Date.parse(run.createdAt))})`
}

/** Failures are at the end. Times, which each line begins with, take most of the space. */
export function logEnd(log: string): string {
  const end = stripVTControlCharacters(log.slice(-8 * logCharsMax))
  const lines = end
    .split(/\r?\n/)
    .map((line) => line.replace(/^([^\t]*\t[^\t]*\t)\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z /, '$1'))
  const { text } = cleanText(lines.join('\n'), 8 * logCharsMax)
  return text.length <= logCharsMax ? text : `…${text.slice(1 - logCharsMax)}`
}
