/** Cached, because reading the limit takes some milliseconds and it does not change. */
let openFiles: number | undefined;

/** Returns the maximum number of descriptors of this process: Node raises it to the hard limit of the system. */
export function openFilesMax(): number {
  return (openFiles ??= readOpenFilesMax());
}

function readOpenFilesMax(): number {
  // Otherwise the report may wait for a name server.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as {
    readonly userLimits?: Readonly<Record<string, { readonly soft: unknown }>>;
  };
  const soft = userLimits?.['open_files']?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
