// Declares the module that site/plugins/guide.ts makes from the OpenAPI document.
declare module "virtual:guide" {
  const guide: import("./guide.ts").Guide;
  export default guide;
}
