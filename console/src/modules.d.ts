declare module "*.css";
declare module "@fontsource-variable/*";
/** Who looks on, asked before anything else was loaded. */
declare var whoFirst: Promise<Response> | undefined;
