/** Which layers a clean checkout gets: installed from lockfiles, or carried over; and what they lack. */

import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { DependencyItem, Layer } from '../../evidence/index.ts'
import { carryLayer } from './carry-layer.ts'
import { openApprovedItems, sourceItem } from './dependency-approvals.ts'
import { findManager, NoManagerError } from './find-manager.ts'
import { type InstallOptions, installLayer, layerKey } from './install-layer.ts'
import { findScripts, scriptItem } from './install-scripts.ts'
import { requireKnownSources } from './known-sources.ts'
import { findLayer, layersFolder, type StoredLayer } from './layer-store.ts'
import type { OpenLayerOptions } from './open-layer.ts'
import { type LayerPlan, planLayer } from './plan-layer.ts'
import {
  findUnresolved,
  resolveLockfile,
  type Unresolved,
  withLockfile,
} from './resolve-lockfile.ts'
import { refused } from './run-manager.ts'

export interface ChosenLayers {
  readonly layers: readonly StoredLayer[]
  readonly notes: Pick<Layer, 'approved' | 'lacks' | 'resolved'>
  /** Where there are none: the reason, for people. */
  readonly why: string
}

/** A lockfile is installed; without one the checkout may have dependencies; else versions can be chosen. */
export async function chooseLayers(options: OpenLayerOptions): Promise<ChosenLayers> {
  const { mode, reader, lockfileOf, record } = options
  const plans = mode === 'carry' ? [] : await planLayer(reader, lockfileOf)
  if (plans.length > 0) return installedOrCarried(options, plans)
  const layers = mode === 'resolve' ? [] : await carried(options)
  if (layers.length > 0) return { layers, notes: {}, why: '' }
  const unresolved = mode === 'carry' ? undefined : await findUnresolved(reader, lockfileOf)
  const why = await whyNone(options)
  if (unresolved === undefined) return { layers, notes: {}, why }
  const [item = unresolved.item] = await openApprovedItems(record).mark([unresolved.item])
  const isWanted = mode === 'resolve' || item.approved !== undefined
  return isWanted ? resolved(options, unresolved, item) : { layers, notes: { lacks: [item] }, why }
}

/** If the manager is not installed, the dependencies of the checkout are carried instead. */
async function installedOrCarried(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<ChosenLayers> {
  try {
    return await installed(options, plans)
  } catch (error) {
    if (!(error instanceof NoManagerError)) throw error
    const own = await carried(options)
    if (own.length === 0) throw error
    const layers = own.map((layer) => ({
      ...layer,
      summary: `${layer.summary} (${error.reason})`,
    }))
    return { layers, notes: {}, why: '' }
  }
}

async function resolved(
  options: OpenLayerOptions,
  unresolved: Unresolved,
  item: DependencyItem,
): Promise<ChosenLayers> {
  const { reader, lockfileOf, record } = options
  const made = await resolveLockfile(unresolved, record, installOptions(options))
  const withIt = { ...options, reader: withLockfile(reader, lockfileOf, made) }
  const { layers, notes, why } = await installed(withIt, await planLayer(withIt.reader, lockfileOf))
  const approved = [...(item.approved === undefined ? [] : [item]), ...(notes.approved ?? [])]
  return {
    layers,
    why,
    notes: {
      ...notes,
      ...(approved.length === 0 ? {} : { approved }),
      resolved: { at: made.at, digest: made.digest },
    },
  }
}

/** Everything that needs an approval before the lockfiles of this tree are installed. */
export async function neededApprovals(
  options: Pick<OpenLayerOptions, 'reader' | 'lockfileOf' | 'mode' | 'record'>,
): Promise<readonly DependencyItem[]> {
  if (options.mode === 'carry' || options.mode === 'none') return []
  const plans = await planLayer(options.reader, options.lockfileOf)
  const items = plans.flatMap(({ reading }) => reading.approvable.map(sourceItem))
  return openApprovedItems(options.record).mark(items)
}

/** Others could not install what only a cache of this machine has. */
function requireAll({ lockfile, missing }: LayerPlan): void {
  if (missing.length === 0) return
  throw refused(
    `${lockfile.file} refers to packages that are not in the commit: ${missing.join(', ')}. Commit them`,
  )
}

function installOptions(options: OpenLayerOptions): InstallOptions {
  const { reader, lockfileOf: tree, record, checkout, signal } = options
  const projects = [...(checkout === undefined ? [] : [checkout]), ...(options.projects ?? [])]
  return { reader, tree, store: layersFolder(record), projects, signal }
}

async function installed(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<ChosenLayers> {
  const layers: StoredLayer[] = []
  const approved: DependencyItem[] = []
  const lacks: DependencyItem[] = []
  try {
    for (const plan of plans) {
      options.signal.throwIfAborted()
      requireAll(plan)
      const sources = plan.reading.approvable.map(sourceItem)
      const items = await openApprovedItems(options.record).mark(sources)
      requireKnownSources(plan, items)
      const found = await installOne(options, plan)
      layers.push(found.layer)
      approved.push(...items, ...found.approved)
      lacks.push(...found.lacks)
    }
  } catch (error) {
    await releaseAll(layers)
    throw error
  }
  await releaseAll(layers.filter(({ folders }) => folders.length === 0))
  return {
    layers: layers.filter(({ folders }) => folders.length > 0),
    notes: {
      ...(approved.length === 0 ? {} : { approved }),
      ...(lacks.length === 0 ? {} : { lacks }),
    },
    why: 'none: nothing to install',
  }
}

interface InstalledOne extends Required<Pick<Layer, 'approved' | 'lacks'>> {
  readonly layer: StoredLayer
}

/** Without scripts; then, where some are approved, once more with those. */
async function installOne(options: OpenLayerOptions, plan: LayerPlan): Promise<InstalledOne> {
  const install = installOptions(options)
  const { store, projects } = install
  const manager = await findManager(plan, projects)
  const plainKey = layerKey(plan, manager)
  const plain = (await findLayer(store, plainKey)) ?? (await installLayer(plan, manager, install))
  const modules = plain.folders.filter((one) => posix.basename(one) === 'node_modules')
  const scripts = findScripts(modules.map((one) => join(plain.path, one)))
  const items = await openApprovedItems(options.record).mark(scripts.map(scriptItem))
  const named = new Set(
    scripts
      .filter(({ name }) => options.installScripts?.includes(name) === true)
      .map((one) => scriptItem(one).id),
  )
  const isRun = ({ id, approved }: DependencyItem): boolean =>
    approved !== undefined || named.has(id)
  const approved = items.filter(isRun)
  const lacks = items.filter((item) => !isRun(item))
  if (approved.length === 0) return { layer: plain, approved, lacks }
  await plain.release()
  const ids = [...new Set(approved.map(({ id }) => id))].toSorted()
  const key = createHash('sha256')
    .update(`scripts 2 ${plainKey} ${ids.join(' ')}`)
    .digest('hex')
  const known = await findLayer(store, key)
  const layer = known ?? (await installLayer(plan, manager, { ...install, scripts: ids, key }))
  return { layer, approved, lacks }
}

export async function releaseAll(layers: readonly StoredLayer[]): Promise<void> {
  for (const layer of layers) await layer.release()
}

async function carried(options: OpenLayerOptions): Promise<readonly StoredLayer[]> {
  const { reader, lockfileOf: tree, record, checkout: from, signal } = options
  if (from === undefined) return []
  const layer = await carryLayer({ reader, tree, store: layersFolder(record), from, signal })
  return layer === undefined ? [] : [layer]
}

async function whyNone({ reader, lockfileOf, mode }: OpenLayerOptions): Promise<string> {
  if (mode === 'carry') return 'none: the checkout has no installed dependencies'
  const text = Buffer.from((await reader.read(lockfileOf, 'package.json')) ?? []).toString('utf8')
  return /"(dev)?dependencies"\s*:\s*\{\s*"/i.test(text)
    ? 'none: package.json names dependencies, and there is no lockfile to install them from'
    : 'none: there is no lockfile'
}
