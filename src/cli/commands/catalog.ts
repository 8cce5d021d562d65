/** `catalog`: lists the ready loops of the package, shows one, and writes one into this project. */

import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CatalogDraft } from '../../launch/catalog/catalog-text.ts'
import type { CatalogEntry, CatalogFile } from '../../launch/catalog/read-catalog.ts'
import { addCheckOption, type GivenChecks, namedChecks } from '../check-option.ts'
import { renderTable, visible, visibleText } from '../display/render.ts'
import { defaultAgent, describeMissing } from '../init-answers.ts'
import { noCheck } from '../inline-loop.ts'
import { inspectMachine, requireProjectFolder } from '../project-here.ts'
import { openSession, readStateFolder, type Session } from '../session.ts'
import { shellWord } from '../shell-word.ts'

export function addCatalog(program: Command): void {
  const catalog = program
    .command('catalog')
    .description('list the ready loops for common chores')
    .addHelpText(
      'after',
      '\nWorks without a network. catalog add writes a loop file, which is yours to change.',
    )
    .action(() => list(program))
  catalog
    .command('show <chore>')
    .description('show what a loop of the catalog does, and its file')
    .action((name: string) => show(program, name))
  const add = catalog
    .command('add <chore> [file]')
    .description('write a loop of the catalog into this project')
    .option('--agent <name>', 'claude, codex, …, provider/model, or a command')
    .addHelpText(
      'after',
      `
The default file is loops/<chore>.yaml. Existing files are not overwritten. The new file is trusted as it
is; after you edit it, run asks again.`,
    )
  addCheckOption(add, 'a command that must pass, or name=command; repeatable')
  add.action((name: string, file: string | undefined, options: AddOptions) =>
    write(program, name, file, options),
  )
}

const levelNames = {
  1: 'L1 report',
  2: 'L2 assisted',
  3: 'L3 unattended',
  earned: 'earned',
} as const

async function list(program: Command): Promise<void> {
  const { json, print, hint } = openSession(program)
  const { readCatalog } = await import('../../launch/catalog/read-catalog.ts')
  const entries = (await readCatalog()).map(({ entry }) => entry)
  if (json) {
    for (const entry of entries) print(entry, String)
    return
  }
  // What each of them reads is in `catalog show`: with it, lines are too long for a terminal.
  const rows = entries.map(({ name, cadence, level, action, needs }) => [
    name,
    cadence,
    levelNames[level],
    action,
    needs.join(', '),
  ])
  print(entries, () =>
    [
      renderTable([['NAME', 'CADENCE', 'LEVEL', 'ACTION', 'NEEDS'], ...rows]),
      '',
      hint('Look at one: loopctl catalog show <chore>. Write one: loopctl catalog add <chore>'),
    ].join('\n'),
  )
}

async function show(program: Command, name: string): Promise<void> {
  const { print, hint } = openSession(program)
  const { readCatalogFile } = await import('../../launch/catalog/read-catalog.ts')
  const { entry, text } = await readCatalogFile(name)
  print({ ...entry, text }, () =>
    [
      visible(entry.description),
      '',
      renderTable(describeEntry(entry)),
      '',
      visibleText(text.trimEnd()),
      '',
      hint(`Write it into this project: loopctl catalog add ${name}`),
    ].join('\n'),
  )
}

const describeEntry = (entry: CatalogEntry): readonly (readonly string[])[] => [
  ['cadence', entry.cadence],
  ['level', levelNames[entry.level]],
  ['action', entry.action],
  ['reads', entry.reads.join(', ')],
  ['needs', entry.needs.join(', ')],
  ['tokens', `at most ${entry.dailyTokens} a day, as a suggestion`],
]

interface AddOptions {
  readonly agent?: string
  readonly check?: GivenChecks
}

async function write(
  program: Command,
  name: string,
  named: string | undefined,
  options: AddOptions,
): Promise<void> {
  const session = openSession(program)
  const { readCatalogFile } = await import('../../launch/catalog/read-catalog.ts')
  const chore = await readCatalogFile(name)
  const { cadence, dailyTokens } = chore.entry
  const folder = requireProjectFolder()
  const { initFile, requireNew, writeNewLoop } = await import('../../launch/init/write-loop.ts')
  const file = initFile(folder, named ?? name)
  const again = `loopctl catalog add ${name} <another name>`
  requireNew(file, again)
  const state = resolve(await readStateFolder(program))
  const { draft, notes } = await draftFor(chore, folder, state, options)
  const { catalogText } = await import('../../launch/catalog/catalog-text.ts')
  const place = { file, folder, state, again }
  const { digest } = await writeNewLoop((text) => catalogText(chore, draft, text), place)
  const shown = shellWord(relative(folder, file))
  const written = {
    name,
    file,
    digest,
    agent: draft.agent,
    checks: chore.needsChecks ? draft.checks : {},
    notes,
    next: [
      `loopctl validate ${shown}`,
      `loopctl run ${shown}`,
      `loopctl schedule add ${shown} '${cadence}' --daily-tokens ${dailyTokens}`,
    ],
  }
  session.print(written, () => render(session, chore.entry, shown, written))
}

function render(
  { terminal: { style }, hint }: Session,
  entry: CatalogEntry,
  shown: string,
  { notes, next }: { readonly notes: readonly string[]; readonly next: readonly string[] },
): string {
  return [
    `${style.green('✓')} ${visible(`Wrote ${shown}`)}`,
    renderTable(describeEntry(entry).map(([label, ...rest]) => [`  ${label}`, ...rest])),
    ...notes.map((note) => visible(`Before you run it: ${note}`)),
    ...['Check it:   ', 'Try it:     ', 'Schedule it:'].map(
      (label, at) => `${label} ${hint(visible(next[at] ?? ''))}`,
    ),
  ].join('\n')
}

/** With the agent and the checks that were given, or that are here; and what is missing before it can run. */
async function draftFor(
  { outside, needsChecks }: CatalogFile,
  folder: string,
  state: string,
  { agent, check }: AddOptions,
): Promise<{ readonly draft: CatalogDraft; readonly notes: readonly string[] }> {
  const { agents, project } = await inspectMachine(folder, state)
  const { parseAgent } = await import('../../launch/init/loop-text.ts')
  const { checkSources } = await import('../../launch/preflight/check-sources.ts')
  const checks = await namedChecks(check ?? project.checks)
  if (needsChecks && Object.keys(checks).length === 0) throw noCheck(project.folder)
  const chosen = parseAgent(agent ?? defaultAgent({ agents, project: { ...project, stacks: [] } }))
  const missing = typeof chosen === 'string' ? describeMissing(chosen, agents) : undefined
  const looked = await checkSources(outside, folder)
  const problems = looked.flatMap(({ status, detail }) => (status === 'problem' ? [detail] : []))
  return {
    draft: { agent: chosen, checks, stacks: project.stacks },
    notes: [...(missing === undefined ? [] : [missing]), ...problems],
  }
}
