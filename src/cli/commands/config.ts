/** Commands about the configuration: what holds and who says so, where its files are, whether they are right. */

import type { Command } from 'commander'
import type { LoadedConfig } from '../../definition/config/load-config.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { renderTable, visible } from '../display/render.ts'
import { openSession, stateFolderOf } from '../session.ts'

export function addConfig(program: Command): void {
  const config = program
    .command('config')
    .description('the settings that hold here, and the files they come from')
  config
    .command('show')
    .description('every setting with its value')
    .option('--origin', 'and where it comes from: flag, environment, file and line, or default')
    .option('--config <file>', 'with this file before those that are found')
    .action((options: ShowOptions) => show(program, options))
  config
    .command('path')
    .description('the files that are read, the strongest first')
    .action(() => paths(program))
  config
    .command('check [file]')
    .description('check a file, or all that are found; says line, column and reason')
    .action((file: string | undefined) => check(program, file))
  config
    .command('schema')
    .description('the JSON Schema of loopwright.yaml, for editors')
    .action(async () => {
      const { configJsonSchema } = await import('../../definition/config/config-json-schema.ts')
      process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
    })
}

interface ShowOptions {
  readonly origin?: boolean
  readonly config?: string
}

async function load(program: Command, file?: string): Promise<LoadedConfig> {
  const folder = await stateFolderOf(program)
  const { loadConfig } = await import('../../definition/config/load-config.ts')
  return loadConfig({ folder, ...defined({ file }) })
}

async function show(program: Command, { origin = false, config }: ShowOptions): Promise<void> {
  const { print } = openSession(program)
  const loaded = await load(program, config)
  const { describeSettings } = await import('../../definition/config/describe-settings.ts')
  const settings = describeSettings(loaded)
  const shown = origin
    ? settings
    : settings.map(({ name, value }) => (value === undefined ? { name } : { name, value }))
  print({ settings: shown, files: loaded.files, notes: loaded.notes }, () => {
    const rows = settings.map(({ name, text, from }) => [name, text, ...(origin ? [from] : [])])
    const head = ['SETTING', 'VALUE', ...(origin ? ['FROM'] : [])]
    return [
      renderTable([head, ...rows]),
      ...loaded.notes.map((note) => `note: ${visible(note)}`),
    ].join('\n')
  })
}

async function paths(program: Command): Promise<void> {
  const { print } = openSession(program)
  const { findConfigFiles, userConfigPath } = await import('../../definition/config/find-files.ts')
  const { files, notes } = findConfigFiles({ cwd: process.cwd(), environment: process.env })
  const user = userConfigPath(process.env)
  print({ files, user, notes }, () =>
    [
      ...files.map(({ path, of }) => `${of.padEnd(8)} ${visible(path)}`),
      ...(files.some(({ path }) => path === user) ? [] : [`user     ${visible(user)} (not there)`]),
      ...notes.map((note) => `note: ${visible(note)}`),
    ].join('\n'),
  )
}

async function check(program: Command, file: string | undefined): Promise<void> {
  const { json, print } = openSession(program)
  const folder = await stateFolderOf(program)
  const { findConfigFiles } = await import('../../definition/config/find-files.ts')
  const { checkConfig } = await import('../../definition/config/preview-config.ts')
  const found = findConfigFiles({ cwd: process.cwd(), environment: process.env })
  const files = file === undefined ? found.files.map(({ path }) => path) : [file]
  const reports = await Promise.all(files.map((path) => checkConfig(path, folder)))
  for (const report of reports) {
    print(report, () =>
      [
        ...report.problems.map(({ text }) => text),
        ...report.notes.map((note) => `warning: ${note}`),
        ...(report.ok ? [`${report.file}: ok`] : []),
      ]
        .map(visible)
        .join('\n'),
    )
  }
  if (reports.length === 0 && !json) print([], () => 'There is no file of configuration here.')
  if (reports.every(({ ok }) => ok)) return
  throw new LoopError('bad-config', 'The configuration has problems; see above.')
}
