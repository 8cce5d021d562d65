/** Commands about loop files and tools: validate, trust (configuration too), tools. */

import type { Command } from 'commander'
import { LoopError } from '../../loop/index.ts'
import { renderTable, renderTime, visible } from '../display/render.ts'
import { fit } from '../display/status-line.ts'
import { renderPowers } from '../display/wrap.ts'
import { type AttendedOption, addAttendedOption, addTrustOption } from '../run-options.ts'
import { openSession, readStateFolder } from '../session.ts'
import { renderScope } from '../start/plan.ts'
import { loadTrusted } from '../trust.ts'

export function addLoopFiles(program: Command): void {
  program
    .command('validate <file...>')
    .description('check loop files without running them')
    .action((files: string[]) => validate(program, files))
  program
    .command('trust [file]')
    .description('trust a loop, policy or config file, or list trusted files')
    .option('--forget', 'stop trusting the file', false)
    .action((file: string | undefined, options: { forget: boolean }) =>
      file === undefined ? listTrusted(program) : trust(program, file, options.forget),
    )
  const tools = program
    .command('tools [query]')
    .description('list the tools that agents can call')
    .option('--loop <file>', 'include the MCP servers and tools of this loop file')
  addTrustOption(addAttendedOption(tools)).action(
    (query: string | undefined, options: ToolsOptions) => listTools(program, query, options),
  )
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

async function validate(program: Command, files: readonly string[]): Promise<void> {
  const { print } = openSession(program)
  const folder = await readStateFolder(program)
  const { validateLoop } = await import('../../launch/load-loop.ts')
  const reports = await Promise.all(files.map((file) => validateLoop(file, folder)))
  for (const report of reports) {
    print(report, () =>
      [
        ...report.problems.map((problem) => problem.text),
        ...report.warnings.map((warning) => `${report.file}: warning: ${warning}`),
        ...(report.ok ? [`${report.file}: ok`] : []),
        ...renderScope(report.scope?.lines ?? []),
        ...renderReadiness(report.readiness),
      ]
        .map(visible)
        .join('\n'),
    )
  }
  const bad = reports.filter((report) => !report.ok)
  if (bad.length > 0) {
    const count = bad.length === 1 ? 'The loop file has' : `${bad.length} loop files have`
    throw new LoopError('bad-loop-file', `${count} problems; see above.`)
  }
}

const renderReadiness = (
  readiness: { readonly score: number; readonly missing: readonly string[] } | undefined,
): readonly string[] =>
  readiness === undefined
    ? []
    : [`readiness  ${readiness.score} of 100`, ...readiness.missing.map((one) => `  - ${one}`)]

async function trust(program: Command, file: string, forget: boolean): Promise<void> {
  const { print, terminal } = openSession(program)
  const folder = await readStateFolder(program)
  const { distrustLoop, previewLoop, trustLoop } = await import('../../launch/load-loop.ts')
  const { isConfigFile, previewConfig } = await import('../../definition/config/preview-config.ts')
  const previewFile = isConfigFile(file)
    ? previewConfig
    : file.endsWith('.cedar')
      ? (await import('../../launch/policy/preview-policy.ts')).previewPolicy
      : previewLoop
  const preview = await previewFile(file, folder)
  const { digest, powers } = preview
  if (forget) {
    await distrustLoop(preview, folder)
    print({ file: preview.file, digest, trusted: false }, () =>
      visible(`${preview.file} is no longer trusted.`),
    )
    return
  }
  await trustLoop(preview, folder)
  print({ file: preview.file, digest, powers, trusted: true }, () =>
    [
      visible(`${preview.file} is trusted as it is now (${digest.slice(0, 12)}). It`),
      ...renderPowers(powers, terminal),
    ].join('\n'),
  )
}

async function listTrusted(program: Command): Promise<void> {
  const { json, print } = openSession(program)
  const { trustedLoops } = await import('../../launch/load-loop.ts')
  const entries = await trustedLoops(await readStateFolder(program))
  if (json) for (const entry of entries) print(entry, String)
  else if (entries.length === 0) print([], () => 'No loop file is trusted yet.')
  else {
    const rows = entries.map(({ file, digest, atMs }) => [
      digest.slice(0, 12),
      renderTime(atMs),
      file,
    ])
    print(entries, () => renderTable([['DIGEST', 'TRUSTED AT', 'FILE'], ...rows]))
  }
}

interface ToolsOptions extends AttendedOption {
  readonly loop?: string
  readonly trust?: boolean
}

async function listTools(
  program: Command,
  query: string | undefined,
  options: ToolsOptions,
): Promise<void> {
  const session = openSession(program)
  const folder = await readStateFolder(program)
  const { findTools } = await import('../../launch/find-tools.ts')
  const { loop } = options
  const loaded = loop === undefined ? undefined : await loadTrusted(session, folder, loop, options)
  const attended = session.terminal.asks || options.attended === true
  const { openLoop } = await import('../../launch/open-loop.ts')
  const opened =
    loaded && (await openLoop(loaded, { folder, workspace: loaded.workspace, attended }))
  try {
    for (const problem of opened?.problems ?? []) process.stderr.write(`warning: ${problem}\n`)
    const found = await findTools(opened?.parts.tools, query)
    if (session.json) for (const tool of found) session.print(tool, String)
    else if (found.length === 0)
      session.print([], () => `No tool matches "${visible(query ?? '')}".`)
    else {
      const rows = found.map(({ name, risk, description }) => [name, risk, firstLine(description)])
      const table = renderTable([['TOOL', 'RISK', 'WHAT IT DOES'], ...rows])
      const width = session.terminal.live ? session.terminal.width() : Number.POSITIVE_INFINITY
      session.print(found, () =>
        table
          .split('\n')
          .map((line) => fit(line, width))
          .join('\n'),
      )
    }
  } finally {
    await opened?.close()
  }
}
