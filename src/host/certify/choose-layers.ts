/** Which layers a clean checkout gets: installed from lockfiles, or carried over; and what they lack. */

import type { DependencyItem, Layer } from '../../evidence/index.ts'
import { carryLayer } from './carry-layer.ts'
import { openApprovedItems, sourceItem } from './dependency-approvals.ts'
import { findManager, installLayer, layerKey } from './install-layer.ts'
import { requireKnownSources } from './known-sources.ts'
import { findLayer, layersFolder, type StoredLayer } from './layer-store.ts'
import type { OpenLayerOptions } from './open-layer.ts'
import { type LayerPlan, planLayer } from './plan-layer.ts'
import { refused } from './run-manager.ts'

export interface ChosenLayers {
  readonly layers: readonly StoredLayer[]
  readonly notes: Pick<Layer, 'approved' | 'lacks' | 'resolved'>
  /** Where there are none: the reason, for people. */
  readonly why: string
}

/** Without a lockfile there is nothing to install from: the checkout may have dependencies all the same. */
export async function chooseLayers(options: OpenLayerOptions): Promise<ChosenLayers> {
  const plans = options.mode === 'carry' ? [] : await planLayer(options.reader, options.lockfileOf)
  if (plans.length > 0)
    return { ...(await installed(options, plans)), why: 'none: nothing to install' }
  const layers = await carried(options)
  return { layers, notes: {}, why: layers.length === 0 ? await whyNone(options) : '' }
}

/** All that installing from the lockfiles of this tree takes an approval for. */
export async function neededApprovals(
  options: Pick<OpenLayerOptions, 'reader' | 'lockfileOf' | 'mode' | 'record'>,
): Promise<readonly DependencyItem[]> {
  if (options.mode === 'carry' || options.mode === 'none') return []
  const plans = await planLayer(options.reader, options.lockfileOf)
  const items = plans.flatMap(({ reading }) => reading.approvable.map(sourceItem))
  return openApprovedItems(options.record).mark(items)
}

/** Nobody else could install what only a cache of this machine has. */
function requireAll({ lockfile, missing }: LayerPlan): void {
  if (missing.length === 0) return
  throw refused(
    `${lockfile.file} takes packages from files that are not in the commit: ${missing.join(', ')}. Commit them`,
  )
}

async function installed(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<Pick<ChosenLayers, 'layers' | 'notes'>> {
  const { reader, lockfileOf, record, checkout, signal } = options
  const store = layersFolder(record)
  const projects = [...(checkout === undefined ? [] : [checkout]), ...(options.projects ?? [])]
  const layers: StoredLayer[] = []
  const approved: DependencyItem[] = []
  try {
    for (const plan of plans) {
      signal.throwIfAborted()
      requireAll(plan)
      const items = await openApprovedItems(record).mark(plan.reading.approvable.map(sourceItem))
      requireKnownSources(plan, items)
      approved.push(...items)
      const manager = await findManager(plan, projects)
      const install = { reader, tree: lockfileOf, store, projects, signal }
      const known = await findLayer(store, layerKey(plan, manager))
      layers.push(known ?? (await installLayer(plan, manager, install)))
    }
  } catch (error) {
    await releaseAll(layers)
    throw error
  }
  await releaseAll(layers.filter(({ folders }) => folders.length === 0))
  return {
    layers: layers.filter(({ folders }) => folders.length > 0),
    notes: approved.length === 0 ? {} : { approved },
  }
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
