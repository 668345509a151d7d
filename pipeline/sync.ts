import { usualStore } from "./base/bucket/address.ts";
import { withDatabase } from "./base/database.ts";
import { DamagedPagesError } from "./base/failure.ts";
import { withLock } from "./base/lock.ts";
import { makeRelease, type SyncContext, type SyncResult, warnOfFailure } from "./newRelease.ts";
import { checkSite, digestSite } from "./parts/site.ts";
import { extendChain } from "./releases/changes/chain.ts";
import { findCurrent } from "./releases/current.ts";
import { makeDataFolder, removeBuild, removeTables, spillFolder, tablesFile } from "./releases/folders.ts";
import { findInputs, isMadeFrom, listBucket } from "./releases/inputs.ts";
import { findRolledBack } from "./releases/rollbacks.ts";
import type { SyncSettings } from "./settings.ts";

/**
 * Makes a release from the warehouse and makes it current. Does nothing if the current one has the same inputs, or if a
 * person rolled back from a release with these inputs. After any failure the current release is still being served.
 * @throws InputError if the warehouse or a setting is wrong or the site is not built, RefusedError if the quality gate refuses the release,
 * LockedError if another sync, a pull or a rollback is running
 */
export async function sync(settings: SyncSettings, context: SyncContext): Promise<SyncResult> {
  const start = context.clock();
  await checkSite(context.site);
  await makeDataFolder(settings.data);
  return withLock(settings.data, async () => {
    try {
      const healed = extendChain(settings.data, context.clock); // a run may have been killed
      await warnOfFailure(context, "the index of changes was not completed", healed);
      return await syncOnce(settings, context, start);
    } catch (error) {
      if (!(error instanceof DamagedPagesError) || settings.isForced) throw error;
      context.progress.note(error.message);
      context.progress.note("page files of the current release are damaged: all pages are built again");
      return await syncOnce({ ...settings, isForced: true }, context, start);
    } finally {
      await warnOfFailure(
        context,
        "temporary files of this run were not removed",
        removeBuild(settings.data),
      );
    }
  });
}

async function syncOnce(settings: SyncSettings, context: SyncContext, start: Date): Promise<SyncResult> {
  const bucket = await listBucket(settings, context.store ?? usualStore);
  await removeTables(settings.data); // a run may have been killed
  const database = {
    memory: settings.memory,
    threads: settings.threads,
    spillFolder: spillFolder(settings.data),
    file: tablesFile(settings.data),
  };
  return withDatabase(database, async ({ instance, connection }): Promise<SyncResult> => {
    const { progress } = context;
    const site = await digestSite(context.site);
    const current = await findCurrent(settings.data);
    const isNewer = settings.isForced || current === undefined;
    if (!isNewer && bucket !== undefined && isMadeFrom(bucket, current.manifest, settings, site))
      return { isNew: false, release: current.id, rolledBack: undefined };
    const found = await findInputs(connection, settings, bucket, site, progress);
    if (!isNewer) {
      const { made_from } = found.sealed;
      const isSame = current.manifest.made_from === made_from;
      const rolledBack = isSame ? undefined : await findRolledBack(settings.data, made_from, progress.note);
      if (isSame || rolledBack !== undefined) return { isNew: false, release: current.id, rolledBack };
    }
    const job = { settings, context, instance, connection, ...found, current, start };
    return makeRelease(job);
  }).finally(() => bucket?.close());
}
