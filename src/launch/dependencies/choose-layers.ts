/** Chooses the layers of a clean checkout, installed or carried over, and reports what they lack. */

import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { DependencyItem, DependencyLayer } from '../../evidence/index.ts'
import { carryLayer } from './carry-layer.ts'
import { openApprovedItems, toSourceItem } from './dependency-approvals.ts'
import { findManager, MissingManagerError } from './find-manager.ts'
import { computeLayerKey, type InstallOptions, installLayer } from './install-layer.ts'
import { findScripts, toScriptItem } from './install-scripts.ts'
import { findLayer, layersFolder, type StoredLayer } from './layer-store.ts'
import type { OpenLayerOptions } from './open-layer.ts'
import { type LayerPlan, planLayer } from './plan-layer.ts'
import { requireKnownSources } from './require-known-sources.ts'
import {
  findUnresolvedProject,
  resolveLockfile,
  type UnresolvedProject,
  withLockfile,
} from './resolve-lockfile.ts'
import { createDependencyError } from './run-manager.ts'

export interface ChosenLayers {
  readonly layers: readonly StoredLayer[]
  readonly notes: Pick<DependencyLayer, 'approved' | 'lacks' | 'resolved'>
  /** If there are no layers: the reason, for people. */
  readonly reason: string
}

/** In this order: install the lockfiles, carry over the dependencies of the checkout, resolve versions. */
export async function chooseLayers(options: OpenLayerOptions): Promise<ChosenLayers> {
  const { mode, reader, lockfileTree, stateFolder } = options
  const plans = mode === 'carry' ? [] : await planLayer(reader, lockfileTree)
  if (plans.length > 0) return installOrCarry(options, plans)
  const layers = mode === 'resolve' ? [] : await carryFromCheckout(options)
  if (layers.length > 0) return { layers, notes: {}, reason: '' }
  const unresolved =
    mode === 'carry' ? undefined : await findUnresolvedProject(reader, lockfileTree)
  const reason = await explainNoLayer(options)
  if (unresolved === undefined) return { layers, notes: {}, reason }
  const [item = unresolved.item] = await openApprovedItems(stateFolder).mark([unresolved.item])
  const isWanted = mode === 'resolve' || item.approved !== undefined
  return isWanted
    ? resolveAndInstall(options, unresolved, item)
    : { layers, notes: { lacks: [item] }, reason }
}

/** If the manager is not installed, the dependencies of the checkout are carried instead. */
async function installOrCarry(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<ChosenLayers> {
  try {
    return await installAll(options, plans)
  } catch (error) {
    if (!(error instanceof MissingManagerError)) throw error
    const carried = await carryFromCheckout(options)
    if (carried.length === 0) throw error
    const layers = carried.map((layer) => ({
      ...layer,
      summary: `${layer.summary} (${error.reason})`,
    }))
    return { layers, notes: {}, reason: '' }
  }
}

async function resolveAndInstall(
  options: OpenLayerOptions,
  unresolved: UnresolvedProject,
  item: DependencyItem,
): Promise<ChosenLayers> {
  const { reader, lockfileTree, stateFolder } = options
  const lockfile = await resolveLockfile(unresolved, stateFolder, toInstallOptions(options))
  const withIt = { ...options, reader: withLockfile(reader, lockfileTree, lockfile) }
  const plans = await planLayer(withIt.reader, lockfileTree)
  const { layers, notes, reason } = await installAll(withIt, plans)
  const approved = [...(item.approved === undefined ? [] : [item]), ...(notes.approved ?? [])]
  return {
    layers,
    reason,
    notes: {
      ...notes,
      ...(approved.length === 0 ? {} : { approved }),
      resolved: { at: lockfile.at, digest: lockfile.digest },
    },
  }
}

/** Everything that needs an approval before the lockfiles of this tree are installed. */
export async function listNeededApprovals(
  options: Pick<OpenLayerOptions, 'reader' | 'lockfileTree' | 'mode' | 'stateFolder'>,
): Promise<readonly DependencyItem[]> {
  if (options.mode === 'carry' || options.mode === 'none') return []
  const plans = await planLayer(options.reader, options.lockfileTree)
  const items = plans.flatMap(({ reading }) => reading.approvable.map(toSourceItem))
  return openApprovedItems(options.stateFolder).mark(items)
}

/** A package that exists only in a cache of this machine cannot be installed elsewhere. */
function requireCommittedPackages({ lockfile, missing }: LayerPlan): void {
  if (missing.length === 0) return
  throw createDependencyError(
    `${lockfile.file} refers to packages that are not in the commit: ${missing.join(', ')}. Commit them`,
  )
}

function toInstallOptions(options: OpenLayerOptions): InstallOptions {
  const { reader, lockfileTree: tree, stateFolder, checkout, signal } = options
  const projects = [...(checkout === undefined ? [] : [checkout]), ...(options.projects ?? [])]
  return { reader, tree, store: layersFolder(stateFolder), projects, signal }
}

async function installAll(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<ChosenLayers> {
  const layers: StoredLayer[] = []
  const approved: DependencyItem[] = []
  const lacks: DependencyItem[] = []
  try {
    for (const plan of plans) {
      options.signal.throwIfAborted()
      requireCommittedPackages(plan)
      const sources = plan.reading.approvable.map(toSourceItem)
      const items = await openApprovedItems(options.stateFolder).mark(sources)
      requireKnownSources(plan, items)
      const found = await installOne(options, plan)
      layers.push(found.layer)
      approved.push(...items, ...found.approved)
      lacks.push(...found.lacks)
    }
  } catch (error) {
    await releaseLayers(layers)
    throw error
  }
  await releaseLayers(layers.filter(({ folders }) => folders.length === 0))
  return {
    layers: layers.filter(({ folders }) => folders.length > 0),
    notes: {
      ...(approved.length === 0 ? {} : { approved }),
      ...(lacks.length === 0 ? {} : { lacks }),
    },
    reason: 'none: nothing to install',
  }
}

interface InstalledLayer extends Required<Pick<DependencyLayer, 'approved' | 'lacks'>> {
  readonly layer: StoredLayer
}

/** Installs without scripts first; if some are approved, installs again and runs them. */
async function installOne(options: OpenLayerOptions, plan: LayerPlan): Promise<InstalledLayer> {
  const install = toInstallOptions(options)
  const { store, projects } = install
  const manager = await findManager(plan, projects)
  const plainKey = computeLayerKey(plan, manager)
  const plain = (await findLayer(store, plainKey)) ?? (await installLayer(plan, manager, install))
  const modules = plain.folders.filter((one) => posix.basename(one) === 'node_modules')
  const scripts = findScripts(modules.map((one) => join(plain.path, one)))
  const items = await openApprovedItems(options.stateFolder).mark(scripts.map(toScriptItem))
  const named = new Set(
    scripts
      .filter(({ name }) => options.installScripts?.includes(name) === true)
      .map((one) => toScriptItem(one).id),
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

export async function releaseLayers(layers: readonly StoredLayer[]): Promise<void> {
  for (const layer of layers) await layer.release()
}

async function carryFromCheckout(options: OpenLayerOptions): Promise<readonly StoredLayer[]> {
  const { reader, lockfileTree: tree, stateFolder, checkout: from, signal } = options
  if (from === undefined) return []
  const layer = await carryLayer({ reader, tree, store: layersFolder(stateFolder), from, signal })
  return layer === undefined ? [] : [layer]
}

async function explainNoLayer({ reader, lockfileTree, mode }: OpenLayerOptions): Promise<string> {
  if (mode === 'carry') return 'none: the checkout has no installed dependencies'
  const text = Buffer.from((await reader.read(lockfileTree, 'package.json')) ?? []).toString('utf8')
  return /"(dev)?dependencies"\s*:\s*\{\s*"/i.test(text)
    ? 'none: package.json names dependencies, and there is no lockfile to install them from'
    : 'none: there is no lockfile'
}
